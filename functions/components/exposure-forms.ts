import * as z from 'zod';
import { secondsOrNull } from '#shared/base/time.ts';
import type { ExposurePage, HeldArtifact } from '#shared/exposure/ask-exposure.ts';
import type { UnknownArtifact } from '#shared/exposure/find-unknown.ts';
import { ArtifactOut, artifactOut, type Place, QuestionOut, SbomOut, sbomOut } from './component-forms.ts';
import { MOST_STATEMENTS, StatementOut, statementsOut } from './statement-forms.ts';

const Verdict = z.boolean().nullable();

const RunOut = z.object({
  from: z.number().nullable().describe('When it started, in seconds since the epoch; null if that is not known'),
  from_snapshot: z.int().nullable().describe('Number of the snapshot that showed the start'),
  to: z.number().nullable().describe('When it stopped, or when the environment was archived; null while it runs'),
  to_snapshot: z.int().nullable().describe('Number of the snapshot that no longer showed it'),
  compliant: Verdict.describe('The last verdict of the run; null if it is not known'),
});

const EnvironmentOut = z.object({
  environment: z.string().describe('Name of the environment'),
  type: z.string().describe('Kind of the environment'),
  tags: z.record(z.string(), z.string()).describe('Its tags, such as the owner'),
});

export const WhereOut = EnvironmentOut.extend({
  running: z.boolean().describe('Whether the artifact ran there at the instant'),
  since: z.number().nullable().describe('Since when without a break; null if it did not run, or if that is not known'),
  compliant: Verdict.describe('Its verdict there at the instant, or the last one before; null if it is not known'),
  runs: z.array(RunOut).describe('When it ran there, the oldest first'),
  has_earlier: z.boolean().describe('Whether earlier runs may be left out'),
}).meta({ id: 'ExposedEnvironment' });

const RowOut = SbomOut.extend({
  artifact: ArtifactOut.describe('The artifact'),
  environments: z.array(WhereOut).describe('The environments in which it runs and ran, by name'),
  statements: z
    .array(StatementOut)
    .describe(
      `The first ${MOST_STATEMENTS} statements that count, those that say affected first, then the newest first`,
    ),
  statement_count: z.int().describe('Number of statements that count'),
}).meta({ id: 'ExposedArtifact' });

export const NotKnownOut = EnvironmentOut.extend({
  snapshot_index: z.int().describe('Number of the snapshot that shows it'),
  name: z.string().nullable().describe('Name under which it runs; null if the content of the snapshot was erased'),
  fingerprint: z.string().nullable().describe('SHA-256 of the artifact; empty if the reporter did not know it'),
  compliant: Verdict.describe('Its verdict there; null if it is not known'),
  kind: z
    .enum(['unreadable', 'pending', 'recalled', 'erased', 'none'])
    .describe('What is missing: an SBOM that can be read, has been read, counts, was not erased, or any'),
  why: z.string().describe('The same as a sentence'),
}).meta({ id: 'UnknownArtifact' });

export const ExposureOut = z
  .object({
    question: QuestionOut.extend({
      vulnerability: z.string().nullable().describe('`vulnerability` as it was sent; null without it'),
    })
      .meta({ id: 'ExposureQuestion' })
      .describe('What was asked'),
    affected: z.array(RowOut).describe('Artifacts with a version that is asked about'),
    not_affected: z
      .array(RowOut)
      .describe('Artifacts with such versions, or that may have them, that are said not to be affected, or fixed'),
    undecided: z.array(RowOut).describe('Artifacts of which nobody can say whether their version is meant'),
    recalled: z
      .array(
        SbomOut.extend({
          recalls: z
            .array(
              z.object({
                name: z.string().describe('Name of the recall'),
                version: z.int().describe('Version of the recall'),
                since: z.number().describe('When this version was saved, in seconds since the epoch'),
              }),
            )
            .describe('Why the SBOM does not count'),
        }),
      )
      .describe('SBOMs that list the package and do not count, because recalls match their signatures'),
    not_known: z.array(NotKnownOut).describe('Artifacts that ran at the instant without a readable SBOM'),
    next_cursor: z.string().nullable().describe('The `cursor` of the next page; null if this page is the last'),
  })
  .meta({ id: 'Exposure' });

type Where = HeldArtifact['runs'][number];
type Tags = ExposurePage['tags'];

export const exposureOut = (
  page: ExposurePage,
  place: Place,
): Omit<z.input<typeof ExposureOut>, 'question' | 'next_cursor'> => {
  const { affected, notAffected, undecided, recalled, notKnown, tags } = page;
  const rowsOut = (rows: readonly HeldArtifact[]) => rows.map((row) => rowOut(row, page, place));
  return {
    affected: rowsOut(affected),
    not_affected: rowsOut(notAffected),
    undecided: rowsOut(undecided),
    recalled: recalled.map((row) => ({ ...sbomOut(row, place), recalls: row.recalls })),
    not_known: notKnown.map((one) => unknownOut(one, tags)),
  };
};

const rowOut = (row: HeldArtifact, { tags, flowNames }: ExposurePage, place: Place): z.input<typeof RowOut> => ({
  ...sbomOut(row, place),
  artifact: artifactOut(row.artifact),
  environments: row.runs
    .map((where) => whereOut(where, tags))
    .toSorted((a, b) => (a.environment < b.environment ? -1 : 1)),
  ...statementsOut(row.statements, flowNames, place),
});

function whereOut({ environment, runs, hasEarlier }: Where, tags: Tags): z.input<typeof WhereOut> {
  const last = runs.at(-1);
  const open = last?.to === null ? last : undefined;
  return {
    ...environmentOut(environment, tags),
    running: open !== undefined,
    since: secondsOrNull(open?.from ?? null),
    compliant: last?.compliant ?? null,
    runs: runs.map(({ from, fromSnapshot, to, toSnapshot, compliant }) => ({
      from: secondsOrNull(from),
      from_snapshot: fromSnapshot,
      to: secondsOrNull(to),
      to_snapshot: toSnapshot,
      compliant,
    })),
    has_earlier: hasEarlier,
  };
}

const unknownOut = (
  { environment, snapshot, artifact, compliant, kind, why }: UnknownArtifact,
  tags: Tags,
): z.input<typeof NotKnownOut> => ({
  ...environmentOut(environment, tags),
  snapshot_index: snapshot,
  name: artifact?.name ?? null,
  fingerprint: artifact?.fingerprint ?? null,
  compliant,
  kind,
  why,
});

const environmentOut = ({ id, name, kind }: Where['environment'], tags: Tags) => ({
  environment: name,
  type: kind,
  tags: tags.get(id) ?? {},
});
