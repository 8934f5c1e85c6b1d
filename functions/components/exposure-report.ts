import * as z from 'zod';
import { type Micros, secondsOrNull } from '#shared/base/time.ts';
import { ExposureOut, NotKnownOut, WhereOut } from './exposure-forms.ts';
import { MOST_STATEMENTS, StatementOut } from './statement-forms.ts';

type Exposure = Omit<z.input<typeof ExposureOut>, 'next_cursor'>;
type Lists = Pick<Exposure, 'affected' | 'not_affected' | 'undecided'>;
type Row = Lists['affected'][number];

const LISTS = ['affected', 'not_affected', 'undecided'] as const;

const ReportedArtifact = z
  .object({
    status: z.enum(LISTS).describe('The list of the answer in which the artifact is'),
    fingerprint: z.string().describe('SHA-256 of the artifact'),
    commit: z.string().nullable().describe('Commit that it was built from; null if that is not known'),
    trail_name: z.string().describe('Name of the trail that built it'),
    component_versions: z.array(z.string().nullable()).describe('Versions of the component that it holds'),
    sbom: z.string().describe('Id of the attestation that lists the component'),
    listed_at: z.number().describe('When this SBOM was reported, in seconds since the epoch'),
    running: z.boolean().describe('Whether it runs anywhere at the instant'),
    first_started_at: z
      .number()
      .nullable()
      .describe('The first start anywhere that is known, in seconds since the epoch; null without any'),
    environments: z.array(WhereOut).describe('Where it runs and ran, since when and until when'),
    mitigations: z
      .array(StatementOut)
      .describe(`What was said of it: by whom, when, why and of which grade. The first ${MOST_STATEMENTS} of them`),
    mitigation_count: z.int().describe('Number of statements that count'),
  })
  .meta({ id: 'ReportedArtifact' });

/** An answer as the forms of authorities ask for it (rules/components.md#as-a-report). */
export const ReportOut = z
  .object({
    question: ExposureOut.shape.question,
    component: z
      .object({
        package: z.string().describe('The package that is asked about, in canonical form'),
        versions: z.array(z.string()).describe('Versions of it that artifacts hold, each once'),
      })
      .describe('The component'),
    vulnerability: z.string().nullable().describe('`vulnerability` as it was sent; null without it'),
    first_listed_at: z
      .number()
      .nullable()
      .describe('When the first of these SBOMs was reported, in seconds since the epoch; null without any'),
    first_started_at: z
      .number()
      .nullable()
      .describe('The first start of an affected artifact that is known; null without any'),
    first_said_at: z.number().nullable().describe('When the first of these statements arrived; null without any'),
    affected_running: z.int().describe('Number of affected artifacts that run at the instant'),
    products: z
      .array(
        z.object({
          name: z.string().nullable().describe('Name of the artifact in its flow; null if the trail does not have it'),
          flow_name: z.string().describe('Name of the flow'),
          artifacts: z.array(ReportedArtifact).describe('Its versions that hold the component, the oldest SBOM first'),
        }),
      )
      .describe('What was built with the component, by flow and name'),
    recalled: ExposureOut.shape.recalled,
    not_known: z.array(NotKnownOut).describe('Artifacts that run, and may hold the component: nobody knows'),
  })
  .meta({ id: 'ExposureReport' });

type Report = z.input<typeof ReportOut>;
type ReportedArtifact = Report['products'][number]['artifacts'][number];

/** Returns an answer as a report. @param firstSaid when the first statement about it arrived: rows show the newest ones only */
export function exposureReport(exposure: Exposure, firstSaid: Micros | null): Report {
  const { question, recalled, not_known: notKnown } = exposure;
  const rows = LISTS.flatMap((status) => exposure[status].map((row) => ({ row, artifact: artifactOf(status, row) })));
  const artifacts = rows.map(({ artifact }) => artifact);
  const affected = artifacts.filter(({ status }) => status === 'affected');
  const versions = artifacts.flatMap(({ component_versions: held }) => held).filter((version) => version !== null);
  const products = Map.groupBy(rows, ({ row }) => JSON.stringify([row.flow_name, row.artifact.name]));
  return {
    question,
    component: { package: question.package, versions: [...new Set(versions)].toSorted() },
    vulnerability: question.vulnerability,
    first_listed_at: earliest(artifacts.map(({ listed_at: at }) => at)),
    first_started_at: earliest(affected.map(({ first_started_at: at }) => at)),
    first_said_at: secondsOrNull(firstSaid),
    affected_running: new Set(affected.flatMap(({ running, fingerprint }) => (running ? fingerprint : []))).size,
    products: [...products].toSorted(byKey).flatMap(([, all]) =>
      all.slice(0, 1).map(({ row }) => ({
        name: row.artifact.name,
        flow_name: row.flow_name,
        artifacts: all.map(({ artifact }) => artifact).toSorted((a, b) => a.listed_at - b.listed_at),
      })),
    ),
    recalled,
    not_known: notKnown,
  };
}

const artifactOf = (status: ReportedArtifact['status'], row: Row): ReportedArtifact => ({
  status,
  fingerprint: row.artifact.fingerprint,
  commit: row.artifact.commit,
  trail_name: row.trail_name,
  component_versions: row.components.map(({ version }) => version),
  sbom: row.attestation_id,
  listed_at: row.reported_at,
  running: row.environments.some(({ running }) => running),
  first_started_at: earliest(row.environments.map(({ runs }) => runs[0]?.from ?? null)),
  environments: row.environments,
  mitigations: row.statements,
  mitigation_count: row.statement_count,
});

const byKey = ([a]: [string, unknown], [b]: [string, unknown]): number => (a < b ? -1 : 1);

function earliest(all: readonly (number | null)[]): number | null {
  const known = all.filter((at) => at !== null);
  return known.length === 0 ? null : Math.min(...known);
}
