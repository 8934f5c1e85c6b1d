import * as z from 'zod';
import { FlowId, storedId } from '#shared/base/ids.ts';
import { AnyTrailName, type TrailName } from '#shared/base/names.ts';
import { prepareSharedBody, sha256Hex } from '#shared/bodies/bodies.ts';
import { bodyUseKey } from '#shared/bodies/keys.ts';
import {
  momentKey,
  trailCommitKey,
  trailFieldsKey,
  trailPartition,
  trailPastFieldsKey,
} from '#shared/evidence/records/keys.ts';
import { contentOf } from '#shared/evidence/records/moments.ts';
import { trailEntries } from '#shared/evidence/records/trail-commit.ts';
import {
  FieldsItem,
  headItem,
  MomentItem,
  RepoItem,
  repoItem,
  slotItems,
  TrailHead,
} from '#shared/evidence/records/trail-items.ts';
import { applyMoment, EMPTY_TRAIL, type SlotChange } from '#shared/evidence/rules/trail-state.ts';
import type { PartitionKey } from '#shared/table/items.ts';
import type { Item } from '#shared/table/table.ts';
import { groups, type ImportFamily } from './family.ts';
import { entryId, Hex, putsOf, type Restoring, restoredBody, restoredText, ShownBody } from './restored.ts';
import type { ImportLine } from './source.ts';

/** Trails with their moments, and the texts of templates. */

const Place = z.object({ flow: FlowId, trail_name: AnyTrailName });
const HeadLine = TrailHead.extend({ hash: Hex });
const FieldsLine = FieldsItem.extend({ body: ShownBody });
const CommitLine = z.object({ digest: z.string(), body: ShownBody });

const placeOf = (line: ImportLine): string => {
  const { flow, trail_name: trail } = Place.parse(line);
  return `${flow} ${trail}`;
};

const trails: ImportFamily = {
  name: 'trails',
  kinds: ['trail', 'fields', 'commit', 'repo'],
  async *items(restoring) {
    const names = await flowNames(restoring);
    for await (const lines of groups(restoring.source.lines('trails'), placeOf)) {
      const { flow, trail_name: trail } = Place.parse(lines[0]);
      const partition = trailPartition(restoring.org, flow, trail);
      const made = { partition, trail, flowName: names.get(flow) ?? '', present: newestFields(lines) };
      yield (await Promise.all(lines.map((line) => trailItems(restoring, made, line)))).flat();
    }
  },
};

/** Returns the present names of flows. An erasure finds the texts of a trail by them. */
async function flowNames({ source }: Restoring): Promise<Map<FlowId, string>> {
  const names = new Map<FlowId, string>();
  for await (const line of source.lines('flows')) {
    if (line['item'] === 'flow') names.set(storedId(String(line['id'])), String(line['name']));
  }
  return names;
}

/** Returns the number of the moment that brought the present fields: past ones have smaller numbers. */
const newestFields = (lines: readonly ImportLine[]): number =>
  Math.max(0, ...lines.filter(({ item }) => item === 'fields').map(({ number }) => Number(number)));

interface MadeTrail {
  partition: PartitionKey;
  trail: TrailName;
  flowName: string;
  present: number;
}

async function trailItems(restoring: Restoring, trail: MadeTrail, line: ImportLine): Promise<Item[]> {
  const { partition } = trail;
  switch (line['item']) {
    case 'trail':
      return [headItem(partition, HeadLine.parse(line))];
    case 'repo': {
      const { repo, n } = RepoItem.parse(line);
      return [repoItem(partition, repo, n)];
    }
    case 'commit': {
      const { digest, body: shown } = CommitLine.parse(line);
      const user = `commit:${trail.flowName}:${trail.trail}:${digest}`;
      const { body, items } = await restoredBody(restoring, shown, user);
      return [{ ...trailCommitKey(partition, digest), v: 1, body }, ...items];
    }
    default: {
      const { body: shown, digest, number } = FieldsLine.parse(line);
      const { body, items } = await restoredBody(restoring, shown, `trail:${trail.flowName}:${trail.trail}`);
      const key = number === trail.present ? trailFieldsKey(partition) : trailPastFieldsKey(partition, number);
      return [{ ...key, v: 1, digest, number, body }, ...items];
    }
  }
}

const MomentLine = MomentItem.omit({ sk: true, pledges: true }).extend({
  flow: FlowId,
  name: AnyTrailName,
  number: z.int(),
  salt: Hex,
  detailsSalt: Hex.optional(),
  previous: Hex,
  hash: Hex,
  commitments: z.record(z.string(), Hex),
});
type MomentLine = z.infer<typeof MomentLine>;

const trailOfMoment = ({ flow, name }: ImportLine): string => `${flow} ${name}`;

const moments: ImportFamily = {
  name: 'moments',
  kinds: ['moment'],
  async *items(restoring) {
    for await (const lines of groups(restoring.source.lines('moments'), trailOfMoment)) {
      const read = lines.map((line) => MomentLine.parse(line));
      yield [...read.map((line) => momentItem(restoring, line)), ...foldedItems(restoring, read)];
    }
  },
};

function momentItem({ org }: Restoring, { flow, name, number, commitments, ...moment }: MomentLine): Item {
  // Commitments to the own texts are computed. That to erased details is not.
  const computed = moment.detailsSalt ? ['moment', 'details'] : ['moment'];
  const pledges = Object.fromEntries(Object.entries(commitments).filter(([text]) => !computed.includes(text)));
  return { ...momentKey(org, flow, name, number), v: 1, ...moment, pledges };
}

/** Returns what follows from the moments of a trail: its slots, its entries in lists, and the uses of templates. */
function foldedItems({ org }: Restoring, lines: readonly MomentLine[]): Item[] {
  const items: Item[] = [];
  let state = EMPTY_TRAIL;
  const changes: SlotChange[] = [];
  for (const line of lines) {
    const { flow, name, at, kind } = line;
    const content = contentOf(line);
    state = applyMoment(state, { kind, at, ...content });
    changes.push(...content.changes);
    if (content.template !== null) items.push(templateUse(org, content.template, `flow:${flow}`));
    if (content.ownTemplate !== null) {
      items.push(templateUse(org, content.ownTemplate, `trail:${content.names.flow}:${name}`));
    }
    if (kind === 'trail_reported') {
      const entry = entryId(at, `${flow}#${name}`);
      items.push(...putsOf(trailEntries(org, { entry, flow: { id: flow }, trail: { name } })));
    }
  }
  const [first] = lines;
  return first ? [...items, ...slotItems(trailPartition(org, first.flow, first.name), state, changes)] : items;
}

const templateUse = (org: Restoring['org'], digest: string, user: string): Item => ({
  ...bodyUseKey(org, digest, user),
  v: 1,
});

const TemplateLine = z.object({ body: z.object({ text: z.string() }).or(z.object({ file: z.string() })) });

const templates: ImportFamily = {
  name: 'templates',
  kinds: ['template'],
  async *items({ table, objects, org, source }) {
    const stored = new Set<string>();
    for await (const line of source.lines('templates')) {
      const { body } = TemplateLine.parse(line);
      const text = await restoredText({ source }, body);
      const digest = sha256Hex(text);
      // A template can have several lines.
      if (stored.has(digest)) continue;
      stored.add(digest);
      const { writes, upload } = await prepareSharedBody(table, objects, org, text, 'import');
      await upload();
      // The uses are those of flows and trails.
      yield putsOf(writes).filter(({ sk }) => sk === 'BODY');
    }
  },
};

export const TRAIL_FAMILIES: readonly ImportFamily[] = [templates, trails, moments];
