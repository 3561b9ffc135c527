/** The patience of who asked something of a server that is being started: it has an end, and can be given up. */

export type Outcome = 'settled' | 'late' | 'givenUp';

export class Patience {
  private readonly waiting = new Set<(outcome: Outcome) => void>();

  /** @param show is told how many wait, whenever that is another number. */
  constructor(
    private readonly show: (count: number) => void,
    readonly milliseconds: number,
  ) {}

  /** Wait until the listener is called, too much time has passed, or the user gives up. */
  async wait(listen: (settled: () => void) => { dispose(): void }): Promise<Outcome> {
    let end: (outcome: Outcome) => void = () => undefined;
    const ended = new Promise<Outcome>((resolve) => {
      end = resolve;
    });
    const timer = setTimeout(end, this.milliseconds, 'late');
    const listening = listen(() => {
      end('settled');
    });
    this.waiting.add(end);
    this.show(this.waiting.size);
    try {
      return await ended;
    } finally {
      clearTimeout(timer);
      listening.dispose();
      this.waiting.delete(end);
      this.show(this.waiting.size);
    }
  }

  /** Nobody waits any longer. */
  giveUp(): void {
    for (const end of this.waiting) {
      end('givenUp');
    }
  }
}
