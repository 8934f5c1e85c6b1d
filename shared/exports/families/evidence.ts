import * as z from 'zod';
import { type FlowId, storedId, type TrailId } from '#shared/base/ids.ts';
import { AnyTrailName } from '#shared/base/names.ts';
import { SharedBody } from '#shared/bodies/bodies.ts';
import { bodyKey } from '#shared/bodies/keys.ts';
import { ArtifactRecord, readArtifacts } from '#shared/evidence/records/artifact-records.ts';
import { AttestationRecord } from '#shared/evidence/records/attestation-records.ts';
import { SHOWN_TYPE, SHOWN_VERSION } from '#shared/evidence/records/custom-types.ts';
import { SHOWN_FACTS, SHOWN_FLOW } from '#shared/evidence/records/flows.ts';
import {
  artifactKey,
  attestationKey,
  flowPartition,
  momentPartition,
  repoTagsKey,
  runtimePartition,
  trailPartition,
  typePartition,
} from '#shared/evidence/records/keys.ts';
import { commitmentsOf } from '#shared/evidence/records/moments.ts';
import { findReposById } from '#shared/evidence/records/repo-records.ts';
import { RuntimeItem } from '#shared/evidence/records/runtime-events.ts';
import { CommitItem, FieldsItem, MomentItem, RepoItem, TrailHead } from '#shared/evidence/records/trail-items.ts';
import { LastingMoment } from '#shared/evidence/rules/moment-texts.ts';
import { ARTIFACTS, ATTESTATIONS, BUILDS } from '#shared/evidence/rules/series-kinds.ts';
import { readTags, SHOWN_TAGS } from '#shared/series/tag-items.ts';
import { type Item, type Key, keyText } from '#shared/table/table.ts';
import type { ExportContext } from '../context.ts';
import type { Section } from '../pages.ts';
import { type Line, linesOf, namedBody, provedLine, provedLines, type Shape } from '../record-lines.ts';
import { batchesFamily, itemsFamily, plannedKeys, rangesFamily, recordKeys, seriesKeys, whole } from '../walk.ts';

const TAGS: Shape = { prefix: 'TAGS', ...SHOWN_TAGS };

const FLOW_SHAPES: readonly Shape[] = [{ prefix: 'HEAD', ...SHOWN_FLOW }, { prefix: 'FACTS', ...SHOWN_FACTS }, TAGS];

const flows = rangesFamily({
  name: 'flows',
  keys: plannedKeys(({ flows: ids }) => ids),
  ranges: ({ org }, { id }) => [whole(flowPartition(org, storedId(id)))],
  lines: async (context, items, { id: flow }) => [
    ...linesOf('flows', FLOW_SHAPES, items, () => ({ flow })),
    ...(await templateLines(
      context,
      items.map(({ template }) => template),
    )),
  ],
});

const TrailEntry = z.object({ id: z.string(), f: z.string(), t: AnyTrailName });
const trailKeys = seriesKeys('trails', (entry) => {
  const { id, f, t } = TrailEntry.parse(entry);
  return { id, flow: storedId<FlowId>(f), trail: t };
});

const trails = itemsFamily({
  name: 'trails',
  keys: trailKeys,
  // Slots sort from `S` on. They follow from the moments.
  ranges: ({ org }, { flow, trail }) => [{ pk: trailPartition(org, flow, trail), to: 'S' }],
  shapes: [
    { prefix: 'H', item: 'trail', schema: TrailHead },
    { prefix: 'F#', item: 'fields', schema: FieldsItem },
    { prefix: 'G', item: 'fields', schema: FieldsItem },
    { prefix: 'C#', item: 'commit', schema: CommitItem },
    { prefix: 'R#', item: 'repo', schema: RepoItem },
  ],
  more: ({ sk, body }, { flow, trail }) => ({
    flow,
    trail_name: trail,
    ...(sk.startsWith('C#') && { digest: sk.slice(2), ...namedBody(body) }),
  }),
});

const MOMENT: readonly Shape[] = [{ item: 'moment', schema: MomentItem }];

const moments = rangesFamily({
  name: 'moments',
  keys: trailKeys,
  ranges: ({ org }, { flow, trail }) => [whole(momentPartition(org, flow, trail))],
  lines: async (context, items, { flow, trail }) => {
    const subjects = items.map((item) => ({
      kind: 'trail' as const,
      flow,
      trail: storedId<TrailId>(String(item['trail'])),
      number: Number(item.sk),
    }));
    const lines = linesOf('moments', MOMENT, items, (item) => ({
      number: Number(item.sk),
      flow,
      name: trail,
      ...sealOf(item),
    }));
    const [proved, templates] = await Promise.all([
      provedLines(context, lines, subjects),
      templateLines(context, items.flatMap(templatesOf)),
    ]);
    return [...proved, ...templates];
  },
});

/** Returns all commitments of a moment. The item has only those that do not follow from its texts. */
function sealOf(item: Item): { pledges?: Record<string, Uint8Array> } {
  const { data } = MomentItem.safeParse(item);
  return data ? { pledges: commitmentsOf(data) } : {};
}

function templatesOf({ body }: Item): unknown[] {
  const { data } = LastingMoment.safeParse(parsedOrNull(body));
  return data ? [data.template, data.ownTemplate] : [];
}

function parsedOrNull(text: unknown): unknown {
  try {
    return JSON.parse(String(text));
  } catch (error) {
    // The line of this moment says that it cannot be read.
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/**
 * Makes lines of the templates with these digests. Each template has a line the first time that a step meets it, so the
 * file can have several lines for one template.
 */
async function templateLines({ org, table, templates }: ExportContext, digests: readonly unknown[]): Promise<Line[]> {
  const unseen = [...new Set(digests)].filter((digest): digest is string => typeof digest === 'string');
  const fresh = unseen.filter((digest) => !templates.has(digest));
  // Trails are read at the same time, so a template counts as met before it is read. A failed read ends the step.
  for (const digest of fresh) templates.add(digest);
  const found = await table.getMany(fresh.map((digest) => bodyKey(org, digest)));
  const shape: Shape = { item: 'template', schema: SharedBody };
  return linesOf('templates', [shape], [...found.values()], ({ body }) => namedBody(body));
}

const runtimeEvents = itemsFamily({
  name: 'runtime-events',
  keys: trailKeys,
  ranges: ({ org }, { flow, trail }) => [whole(runtimePartition(org, flow, trail))],
  shapes: [{ item: 'runtime_event', schema: RuntimeItem }],
  more: ({ sk: id }, { flow, trail }) => ({ id, flow, trail_name: trail }),
});

const ATTESTATION: readonly Shape[] = [{ item: 'attestation', schema: AttestationRecord }];
const ARTIFACT: readonly Shape[] = [{ item: 'artifact', schema: ArtifactRecord }];

/** Reads items by their keys, without a comparison: an export shows what is stored, and its verifier finds what differs. */
async function itemsOf(
  { table }: ExportContext,
  named: readonly { record: string }[],
  keyOf: (record: string) => Key,
): Promise<Item[]> {
  const keys = named.map(({ record }) => keyOf(record));
  const found = await table.getMany(keys);
  return keys.flatMap((key) => found.get(keyText(key)) ?? []);
}

const attestations = batchesFamily({
  name: 'attestations',
  keys: recordKeys(ATTESTATIONS),
  lines: async (context, keys) => {
    const items = await itemsOf(context, keys, (record) => attestationKey(context.org, storedId(record)));
    return linesOf('attestations', ATTESTATION, items, filesOf).map((line) => provedLine(line, null));
  },
});

/** Returns files without the version of the object in the bucket, which is a matter of storage: no commitment has it. */
function filesOf({ files }: Item): Record<string, unknown> {
  const { data } = AttestationRecord.shape.files.safeParse(files);
  return data ? { files: data.map(({ version: _, ...file }) => file) } : {};
}

const artifacts = batchesFamily({
  name: 'artifacts',
  keys: recordKeys(ARTIFACTS),
  lines: async (context, keys) => {
    const items = await itemsOf(context, keys, (record) => artifactKey(context.org, record));
    return linesOf('artifacts', ARTIFACT, items).map((line) => provedLine(line, null));
  },
});

const builds = batchesFamily({
  name: 'builds',
  keys: recordKeys(BUILDS),
  lines: async ({ table, org }, keys) => {
    const ids = keys.map(({ record }) => record);
    const records = await readArtifacts(table, org, ids);
    return records.map(({ id: artifact, fingerprint, flow, trail, repo, at }) => ({
      file: 'builds',
      record: { item: 'build', artifact, fingerprint, flow, trail, repo, at },
    }));
  },
});

const repos = batchesFamily({
  name: 'repos',
  keys: plannedKeys(({ repos: ids }) => ids),
  lines: async ({ table, org }, keys) => {
    const ids = keys.map(({ id }) => id);
    const [found, tags] = await Promise.all([
      findReposById(table, org, ids),
      table.getMany(ids.map((id) => repoTagsKey(org, id))),
    ]);
    return found.map((repo) => ({
      file: 'repos',
      record: { item: 'repo', ...repo, tags: readTags(tags.get(keyText(repoTagsKey(org, repo.id)))) },
    }));
  },
});

const types = itemsFamily({
  name: 'custom-types',
  keys: plannedKeys(({ types: names }) => names),
  ranges: ({ org }, { id }) => [whole(typePartition(org, id))],
  shapes: [
    { prefix: 'HEAD', ...SHOWN_TYPE },
    { prefix: 'V#', ...SHOWN_VERSION },
  ],
  more: (_, { id: type }) => ({ type }),
});

export const EVIDENCE: readonly Section[] = [
  flows,
  trails,
  moments,
  runtimeEvents,
  attestations,
  artifacts,
  builds,
  repos,
  types,
];
