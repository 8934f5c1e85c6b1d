const VERBS: Readonly<Record<string, string>> = {
  started: 'Started',
  exited: 'Exited',
  changed: 'Changed',
  'updated-provenance': 'Build became known',
};

/** What happened, in a word. An unknown kind of event is shown with its own name. */
export const eventVerb = (type: string): string => (Object.hasOwn(VERBS, type) ? (VERBS[type] ?? type) : type);
