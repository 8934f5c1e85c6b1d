const VERBS: Readonly<Record<string, string>> = {
  started: 'Started',
  exited: 'Exited',
  changed: 'Changed',
  'updated-provenance': 'Build became known',
};

/** The instances before and after where the API names both, else its own words. */
export function eventDetail(description: string): string {
  const [, before, after] = /\(from (\d+) to (\d+)\)$/.exec(description) ?? [];
  return before === undefined ? description : `${before} → ${after} instances`;
}

/** What happened, in a word. An unknown kind of event is shown with its own name. */
export const eventVerb = (type: string): string => (Object.hasOwn(VERBS, type) ? (VERBS[type] ?? type) : type);
