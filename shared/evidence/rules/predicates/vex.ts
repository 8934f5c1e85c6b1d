import * as z from 'zod';
import { checked, countWords, listed, shown, text } from './fields.ts';

const STATUSES = ['affected', 'under_investigation', 'fixed', 'not_affected', 'unknown'] as const;

/** Documents before 0.2.0 name the vulnerability by its text. */
const Vulnerability = z.union([z.string().transform((name) => ({ name })), z.object({ name: z.string() })]);

const OpenVex = z.object({
  '@id': text,
  author: text,
  timestamp: text,
  version: z.union([z.number(), z.string()]).nullish(),
  statements: z.array(z.object({ vulnerability: Vulnerability, status: z.string(), justification: text })),
});

/** Summarizes an OpenVEX document. @throws PredicateUnreadable */
export function readVex(predicate: unknown) {
  const { '@id': id, author, timestamp, version, statements } = checked(OpenVex, predicate);
  return {
    id: shown(id),
    author: shown(author),
    stated_at: shown(timestamp),
    version: version === null || version === undefined ? null : shown(String(version)),
    statement_count: statements.length,
    statuses: countWords(
      STATUSES,
      'unknown',
      statements.map(({ status }) => status),
    ),
    statements: listed(statements, ({ vulnerability, status, justification }) => ({
      vulnerability: shown(vulnerability.name),
      status: shown(status),
      justification: shown(justification),
    })),
  };
}
