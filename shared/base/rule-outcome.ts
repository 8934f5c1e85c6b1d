/** The outcome of one jq program on one JSON document. */
export type RuleOutcome = { ok: true; outputs: unknown[] } | { ok: false; error: string };
