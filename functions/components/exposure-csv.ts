import type * as z from 'zod';
import { type CsvCell, csvText } from '#shared/base/texts/csv.ts';
import { secondsText } from '#shared/base/texts/instants.ts';
import type { ExposureOut } from './exposure-forms.ts';

type Exposure = Omit<z.input<typeof ExposureOut>, 'question' | 'next_cursor'>;
type Row = Exposure['affected'][number];

/** Columns of an answer as a table (rules/components.md#as-a-table). */
const COLUMNS = [
  'list',
  'artifact',
  'fingerprint',
  'commit',
  'flow',
  'trail',
  'sbom',
  'reported_at',
  'versions',
  'environment',
  'type',
  'running',
  'since',
  'first_started_at',
  'last_stopped_at',
  'compliant',
  'statements',
  'why',
] as const;

type Line = Partial<Record<(typeof COLUMNS)[number], CsvCell>>;

/** Returns an answer as comma-separated values: a line for each artifact and environment, one for an artifact that never ran. */
export function exposureCsv({
  affected,
  not_affected: cleared,
  undecided,
  recalled,
  not_known: unknown,
}: Exposure): string {
  const lines: Line[] = [
    ...affected.flatMap((row) => linesOf('affected', row)),
    ...cleared.flatMap((row) => linesOf('not_affected', row)),
    ...undecided.flatMap((row) => linesOf('undecided', row)),
    ...recalled.map((row) => ({
      list: 'recalled',
      ...sbomCells(row),
      why: row.recalls.map(({ name, version }) => `${name} version ${version}`).join('; '),
    })),
    ...unknown.map(({ environment, type, name, fingerprint, compliant, why }) => ({
      list: 'not_known',
      artifact: name,
      fingerprint,
      environment,
      type,
      running: 'true',
      compliant: wordOf(compliant),
      why,
    })),
  ];
  return csvText([COLUMNS, ...lines.map((line) => COLUMNS.map((column) => line[column] ?? null))]);
}

function linesOf(list: string, row: Row): Line[] {
  const { artifact, statements, components } = row;
  const line: Line = {
    list,
    artifact: artifact.name,
    fingerprint: artifact.fingerprint,
    commit: artifact.commit,
    ...sbomCells(row),
    statements: statements.map(statementText).join('; '),
    why: [...new Set(components.flatMap(({ undecided }) => undecided ?? []))].join('; '),
  };
  if (row.environments.length === 0) return [line];
  return row.environments.map(({ environment, type, running, since, runs, compliant }) => ({
    ...line,
    environment,
    type,
    running: String(running),
    since: timeOf(since),
    first_started_at: timeOf(runs[0]?.from ?? null),
    last_stopped_at: timeOf(runs.at(-1)?.to ?? null),
    compliant: wordOf(compliant),
  }));
}

const sbomCells = ({
  flow_name: flow,
  trail_name: trail,
  attestation_id: sbom,
  reported_at: at,
  components,
}: Pick<Row, 'flow_name' | 'trail_name' | 'attestation_id' | 'reported_at' | 'components'>): Line => ({
  flow,
  trail,
  sbom,
  reported_at: secondsText(at),
  versions: components.map(({ version }) => version ?? '').join('; '),
});

const statementText = ({
  vulnerability,
  status,
  justification,
  signer,
  reported_by: by,
  grade,
}: Row['statements'][number]) =>
  `${vulnerability} ${status} by ${signer ?? by} (${grade})${justification === null ? '' : `: ${justification}`}`;

const timeOf = (seconds: number | null): string | null => (seconds === null ? null : secondsText(seconds));
const wordOf = (is: boolean | null): string | null => (is === null ? null : String(is));
