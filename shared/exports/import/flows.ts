import * as z from 'zod';
import { FlowId, type OrganizationId } from '#shared/base/ids.ts';
import { AnyFlowName, type FlowName } from '#shared/base/names.ts';
import { SHOWN_TYPE, SHOWN_VERSION } from '#shared/evidence/records/custom-types.ts';
import { FactsItem, FlowHead, namedFlows } from '#shared/evidence/records/flows.ts';
import {
  flowFactsKey,
  flowHeadKey,
  flowTagKey,
  flowTagsKey,
  repoIdKey,
  repoTagKey,
  repoTagsKey,
  typeHeadKey,
  typeVersionKey,
} from '#shared/evidence/records/keys.ts';
import { keyOfRepo, Repo } from '#shared/evidence/records/repos.ts';
import { FLOWS, REPOS, TYPES } from '#shared/evidence/rules/series-kinds.ts';
import { catalogueWrite } from '#shared/series/catalogue.ts';
import { type TagsPlace, tagWrites } from '#shared/series/tag-items.ts';
import { stepsOf } from '#shared/series/tags.ts';
import type { Item, Write } from '#shared/table/table.ts';
import { type ImportFamily, lineFamily } from './family.ts';
import { putsOf, type Restoring, restoredBody, ShownBody } from './restored.ts';
import type { ImportLine } from './source.ts';

/** Flows with their names, custom types and repositories. */

const FlowLine = FlowHead.extend({ flow: FlowId });
const FactsLine = FactsItem.extend({ flow: FlowId, facts: ShownBody });
const Tags = z.record(z.string(), z.string());
const TagsLine = z.object({ flow: FlowId, tags: Tags });

function flowItems({ org }: Restoring, line: ImportLine): Item[] {
  const { flow: id, ...head } = FlowLine.parse(line);
  const { name, archived } = head;
  return putsOf([
    namedFlows.claim(org, name, id, () => undefined),
    { put: { ...flowHeadKey(org, id), v: 1, ...head } },
    ...(archived === null ? [catalogueWrite(org, FLOWS, id, { n: name })] : []),
  ]);
}

async function factsItems(restoring: Restoring, line: ImportLine): Promise<Item[]> {
  const { flow, facts: shown, ...rest } = FactsLine.parse(line);
  const { body: facts, items } = await restoredBody(restoring, shown, `flow:${flow}`);
  return [{ ...flowFactsKey(restoring.org, flow), v: 1, facts, ...rest }, ...items];
}

/** Returns the items of tags, which lists find too. The number of changes begins again, because no reader sees it. */
export const tagsItems = (place: TagsPlace, tags: Readonly<Record<string, string>>): Item[] =>
  Object.keys(tags).length === 0
    ? []
    : putsOf(tagWrites(place, { tags: {}, rev: 0 }, stepsOf({}, { set_tags: tags }), () => undefined).writes);

const lines: ImportFamily = lineFamily('flows', {
  flow: flowItems,
  facts: factsItems,
  tags: ({ org }, line) => {
    const { flow, tags } = TagsLine.parse(line);
    return tagsItems(
      { item: flowTagsKey(org, flow), entry: (name, value) => flowTagKey(org, name, value, flow) },
      tags,
    );
  },
});

/** Flows. Their earlier names, which the lines of flows do not have, are in the audit log. */
const flows: ImportFamily = {
  ...lines,
  async *items(restoring) {
    const aliases = await readAliases(restoring);
    yield putsOf([...aliases].map(([name, id]) => namedFlows.release(restoring.org, name, id)));
    // Present names come later, because a name can be an alias first and then the name of another flow.
    yield* lines.items(restoring);
  },
};

const Renamed = z.object({
  kind: z.string(),
  subject: z.object({ id: FlowId, name: AnyFlowName }),
  before: z.object({ name: AnyFlowName }).nullable(),
});

/** Returns the earlier names of flows that lead to them, as far as the audit log still has them. */
async function readAliases({ source }: Restoring): Promise<Map<FlowName, FlowId>> {
  const aliases = new Map<FlowName, FlowId>();
  for await (const line of source.lines('audit')) {
    if (line['kind'] === 'flow.archived') aliases.delete(Renamed.omit({ before: true }).parse(line).subject.name);
    if (line['kind'] !== 'flow.renamed') continue;
    const { subject, before } = Renamed.parse(line);
    if (before) aliases.set(before.name, subject.id);
  }
  return aliases;
}

const TypeLine = SHOWN_TYPE.schema.extend({ content: ShownBody });
const VersionLine = SHOWN_VERSION.schema.extend({ content: ShownBody, type: z.string() });

const types = lineFamily('custom-types', {
  async type(restoring, line) {
    const { content: shown, ...head } = TypeLine.parse(line);
    const { id, name, archived } = head;
    const { org } = restoring;
    const { body: content, items } = await restoredBody(restoring, shown, `type:${name}`);
    const entry = { n: name, ...(archived !== null && { archived: true }) };
    return [
      { ...typeHeadKey(org, name), v: 1, ...head, content },
      ...items,
      ...putsOf([catalogueWrite(org, TYPES, id, entry)]),
    ];
  },
  async version(restoring, line) {
    const { content: shown, type, ...version } = VersionLine.parse(line);
    const { body: content, items } = await restoredBody(restoring, shown, `type:${type}`);
    return [{ ...typeVersionKey(restoring.org, type, version.number), v: 1, ...version, content }, ...items];
  },
});

const RepoLine = Repo.extend({ tags: Tags });

const repos = lineFamily('repos', {
  repo: ({ org }, line) => {
    const { tags, ...repo } = RepoLine.parse(line);
    return [...putsOf(repoWrites(org, repo)), ...tagsItems(tagsOfRepo(org, repo), tags)];
  },
});

const repoWrites = (org: OrganizationId, repo: Repo): Write[] => {
  const { id, externalId, name, provider } = repo;
  return [
    { put: { ...keyOfRepo(org, repo), v: 1, ...repo } },
    { put: { ...repoIdKey(org, id), v: 1, externalId, name, provider } },
    catalogueWrite(org, REPOS, id, { n: name, x: externalId, p: provider }),
  ];
};

const tagsOfRepo = (org: OrganizationId, { id }: Repo): TagsPlace => ({
  item: repoTagsKey(org, id),
  entry: (name, value) => repoTagKey(org, name, value, id),
});

export const FLOW_FAMILIES: readonly ImportFamily[] = [flows, types, repos];
