import type { FlowId, OrganizationId } from '#shared/base/ids.ts';

/** When a memory holds this many entries it is emptied. That costs a few repeated writes and never a wrong one. */
export const MEMORY_LIMIT = 50_000;

/** Texts that this container has handled. Emptied when there are more than {@link MEMORY_LIMIT}. */
export class Remembered extends Set<string> {
  override add(text: string): this {
    if (this.size >= MEMORY_LIMIT) this.clear();
    return super.add(text);
  }
}

/** The part of a flow's head that policies can see. Equal texts mean that nothing visible changed. */
export interface FlowHeadNews {
  flow: FlowId;
  /** Counts the changes of the head. */
  rev: number;
  text: string;
}

/**
 * What one container remembers of environments between calls. It only saves writes: each effect may be written again.
 */
export class EnvironmentMemory {
  /** Months of trails' runtime events that are recorded already. */
  readonly runtimeMonths = new Remembered();
  /** Pairs of flow and environment that are recorded already. */
  readonly flowRuns = new Remembered();
  /** Flows of which something ran in any environment. */
  readonly ran = new Remembered();
  /** Settings of logical environments that were handed to the expander already. */
  readonly groups = new Remembered();
  readonly #flowHeads = new Map<string, FlowHeadNews>();

  /** Returns false only where this container saw the previous head of the flow and its text was the same. */
  mayDiffer(org: OrganizationId, news: FlowHeadNews): boolean {
    const known = this.#flowHeads.get(`${org}#${news.flow}`);
    if (!known || known.text !== news.text || news.rev - known.rev > 1) return true;
    this.rememberHead(org, news);
    return false;
  }

  rememberHead(org: OrganizationId, news: FlowHeadNews): void {
    if (this.#flowHeads.size >= MEMORY_LIMIT) this.#flowHeads.clear();
    this.#flowHeads.set(`${org}#${news.flow}`, news);
  }
}
