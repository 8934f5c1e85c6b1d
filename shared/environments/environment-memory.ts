/** When a memory holds this many entries it is emptied. That costs a few repeated writes and never a wrong one. */
const MEMORY_LIMIT = 50_000;

/** Texts that this container has handled. Emptied when there are more than {@link MEMORY_LIMIT}. */
export class Remembered extends Set<string> {
  override add(text: string): this {
    if (this.size >= MEMORY_LIMIT) this.clear();
    return super.add(text);
  }
}

/** What one container remembers of environments between calls. It only saves writes: each effect may be written again. */
export class EnvironmentMemory {
  /** Pairs of flow and environment that are recorded already. */
  readonly flowRuns = new Remembered();
  /** Flows of which something ran in any environment. */
  readonly ran = new Remembered();
  /** Settings of logical environments that were handed to the expander already. */
  readonly groups = new Remembered();
}
