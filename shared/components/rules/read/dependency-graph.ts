/** What depends on what in one SBOM, or contains it. Nodes are references of the file, or objects that the file gives no reference. */
export class DependencyGraph {
  readonly #edges = new Map<unknown, unknown[]>();

  /** Adds that `from` depends on `to`, or contains it. */
  add(from: unknown, to: unknown): void {
    const known = this.#edges.get(from);
    if (known) known.push(to);
    else this.#edges.set(from, [to]);
  }

  /**
   * Says how deep components are below the subject (rules/components.md#depth). Only components count as a step: a file passes on what
   * depends on it. The graph may have cycles.
   *
   * @param isComponent whether a node counts as a step
   * @returns the depth of each component that can be reached from the subject
   */
  depthsBelow(subject: unknown, isComponent: (node: unknown) => boolean): Map<unknown, 'direct' | 'deeper'> {
    const depths = new Map<unknown, 'direct' | 'deeper'>();
    const direct = this.#reach([subject], (node) => !isComponent(node));
    for (const node of direct) if (isComponent(node) && node !== subject) depths.set(node, 'direct');
    for (const node of this.#reach(depths.keys(), () => true)) {
      if (isComponent(node) && node !== subject && !depths.has(node)) depths.set(node, 'deeper');
    }
    return depths;
  }

  /** Returns the starts and all nodes that can be reached from them without going on behind a node that does not pass. */
  #reach(starts: Iterable<unknown>, passes: (node: unknown) => boolean): Set<unknown> {
    const seen = new Set(starts);
    const open = [...seen];
    for (let edges = this.#next(open); edges; edges = this.#next(open)) {
      for (const to of edges) {
        if (seen.has(to)) continue;
        seen.add(to);
        if (passes(to)) open.push(to);
      }
    }
    return seen;
  }

  /** Takes an open node and returns what its edges lead to. Undefined if no node is open. */
  #next(open: unknown[]): readonly unknown[] | undefined {
    return open.length === 0 ? undefined : (this.#edges.get(open.pop()) ?? []);
  }
}
