/** What the server, or the lack of one, says no with. */

/** Code of what the user gave up while it waited for the server; nobody has to be told. */
export const GIVEN_UP = 'given_up';

/** A verb that was not done. `code` is stable (docs/protocol.md, Errors); the message is for the user. */
export class Refused extends Error {
  constructor(
    readonly code: string,
    message: string,
    readonly data: Readonly<Record<string, unknown>> = {},
  ) {
    super(message);
  }
}

/** Any error of a request as a refusal. */
export function refusedOf(error: unknown): Refused {
  if (error instanceof Refused) {
    return error;
  }
  const message = error instanceof Error ? error.message : String(error);
  const data = typeof error === 'object' && error !== null && 'data' in error ? error.data : undefined;
  if (typeof data === 'object' && data !== null && 'code' in data && typeof data.code === 'string') {
    return new Refused(data.code, message, { ...data });
  }
  return new Refused('internal_error', message);
}
