/** Requests to models end at once when they are cancelled, whether or not the model listens. */

import type * as vscode from 'vscode';

/** Nobody waits for it any more. */
export class Cancelled extends Error {
  override readonly name = 'Cancelled';
}

/**
 * What a piece of work gives, unless the token is cancelled first. The work itself is not ended by this.
 *
 * @throws Cancelled
 */
export async function unlessCancelled<T>(work: PromiseLike<T>, token: vscode.CancellationToken): Promise<T> {
  let listening: vscode.Disposable | undefined;
  const cancelled = new Promise<never>((_, reject) => {
    const end = (): void => {
      reject(new Cancelled());
    };
    if (token.isCancellationRequested) {
      end();
    } else {
      listening = token.onCancellationRequested(end);
    }
  });
  try {
    return await Promise.race([cancelled, work]);
  } finally {
    listening?.dispose();
  }
}
