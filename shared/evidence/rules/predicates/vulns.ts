import * as z from 'zod';
import { checked, countWords, listed, listOf, shown, text } from './fields.ts';

/** From the most urgent to the least. */
const SEVERITIES: readonly string[] = ['critical', 'high', 'medium', 'low', 'negligible', 'unknown'];

const Scan = z.object({
  scanner: z.object({
    uri: text,
    version: text,
    db: z.object({ uri: text, version: text, lastUpdate: text }).nullish(),
    result: z.unknown().optional(),
  }),
  metadata: z.object({ scanStartedOn: text, scanFinishedOn: text }).nullish(),
});

interface Finding {
  readonly id?: string | null | undefined;
  readonly severity?: string | null | undefined;
}

/** The forms of results that are counted. A predicate may hold whatever its scanner writes. */
const FORMS: readonly ((result: unknown) => readonly Finding[] | undefined)[] = [
  findingsOfStatement,
  findingsOfTrivy,
  findingsOfGrype,
];

/** Summarizes a scan for vulnerabilities. Findings are null if the scanner writes an unknown form. @throws PredicateUnreadable */
export function readVulns(predicate: unknown) {
  const { scanner, metadata } = checked(Scan, predicate);
  const { db, result } = scanner;
  const findings = FORMS.map((form) => form(result)).find((found) => found !== undefined);
  return {
    scanner: { uri: shown(scanner.uri), version: shown(scanner.version) },
    database: db ? { uri: shown(db.uri), version: shown(db.version), updated_at: shown(db.lastUpdate) } : null,
    started_at: shown(metadata?.scanStartedOn),
    finished_at: shown(metadata?.scanFinishedOn),
    finding_count: findings?.length ?? null,
    severities: findings ? countWords(SEVERITIES, 'unknown', findings.map(severityOf)) : null,
    findings: listed(findings?.toSorted(byUrgency), (one) => ({ id: shown(one.id), severity: wordOf(one) })),
  };
}

const severityOf = ({ severity }: Finding): string => severity?.toLowerCase() ?? 'unknown';
const rankOf = (one: Finding): number => {
  const rank = SEVERITIES.indexOf(severityOf(one));
  return rank < 0 ? SEVERITIES.length - 1 : rank;
};
const wordOf = (one: Finding) => SEVERITIES[rankOf(one)];
const byUrgency = (a: Finding, b: Finding): number => rankOf(a) - rankOf(b);

/** A score is a word or a number, by the method beside it. */
const Listed = z.array(
  z.object({ id: z.string(), severity: listOf(z.object({ score: z.union([z.string(), z.number()]).nullish() })) }),
);

function findingsOfStatement(result: unknown): Finding[] | undefined {
  return Listed.safeParse(result).data?.map(({ id, severity }) => ({
    id,
    severity: severity?.flatMap(({ score }) => (typeof score === 'string' ? [score] : [])).find(isSeverity),
  }));
}

const isSeverity = (word: string): boolean => SEVERITIES.includes(word.toLowerCase());

const Trivy = z.object({
  Results: listOf(z.object({ Vulnerabilities: listOf(z.object({ VulnerabilityID: text, Severity: text })) })),
  SchemaVersion: z.number(),
});

function findingsOfTrivy(result: unknown): Finding[] | undefined {
  const { data } = Trivy.safeParse(result);
  return (
    data &&
    (data.Results ?? []).flatMap(({ Vulnerabilities: all }) =>
      (all ?? []).map((one) => ({ id: one.VulnerabilityID, severity: one.Severity })),
    )
  );
}

const Grype = z.object({ matches: z.array(z.object({ vulnerability: z.object({ id: text, severity: text }) })) });

function findingsOfGrype(result: unknown): Finding[] | undefined {
  return Grype.safeParse(result).data?.matches.map(({ vulnerability }) => vulnerability);
}
