const OUTCOMES = ['fault', 'scope', 'same', 'hole'] as const;
type Outcome = (typeof OUTCOMES)[number];

/** How many changes of each kind had which outcome. */
export type Tally = Map<string, Record<Outcome, number>>;

export function tally(found: Tally, kind: string, outcome: Outcome): void {
  const counts = found.get(kind) ?? { fault: 0, scope: 0, same: 0, hole: 0 };
  counts[outcome] += 1;
  found.set(kind, counts);
}

/** Returns the counts as lines of text, with their sum at the end. */
export function printed(found: Tally): string {
  const rows = [...found].sort(([a], [b]) => (a < b ? -1 : 1));
  const sum = OUTCOMES.map((outcome) => rows.reduce((all, [, counts]) => all + counts[outcome], 0));
  const line = (name: string, counts: readonly number[]) =>
    `${name.padEnd(40)} ${counts.map((count, i) => `${OUTCOMES[i]} ${String(count).padStart(5)}`).join('  ')}`;
  return [
    ...rows.map(([name, counts]) =>
      line(
        name,
        OUTCOMES.map((outcome) => counts[outcome]),
      ),
    ),
    line(`${sum.reduce((a, b) => a + b, 0)} changes`, sum),
  ].join('\n');
}
