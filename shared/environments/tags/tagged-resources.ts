import type { Id } from '#shared/base/ids.ts';
import { AnyEnvironmentName, AnyFlowName } from '#shared/base/names.ts';
import type { CoveredName } from '#shared/base/proofs/covered-lines.ts';
import type { Organization } from '#shared/callers/caller.ts';
import { readControlHead } from '#shared/controls/records/controls.ts';
import { controlTagKey, controlTagsKey } from '#shared/controls/records/keys.ts';
import { unknownControlTagged } from '#shared/controls/rules/sentences.ts';
import { findFlow } from '#shared/evidence/records/flows.ts';
import { flowTagKey, flowTagsKey, repoTagKey, repoTagsKey } from '#shared/evidence/records/keys.ts';
import { findRepoById } from '#shared/evidence/records/repo-records.ts';
import { unknownFlow, unknownRepo } from '#shared/evidence/rules/sentences.ts';
import type { TagsPlace } from '#shared/series/tag-items.ts';
import type { Table } from '#shared/table/table.ts';
import { presentEnvironment } from '../present-environment.ts';
import { environmentTagsKey } from '../records/keys.ts';

export type TaggedKind = 'flow' | 'environment' | 'repo' | 'control';

export interface Tagged {
  id: Id;
  name: string;
  place: TagsPlace;
  /** The line of the export that shows the tags, and the members that name the resource in it. Absent for repositories. */
  line?: { name: CoveredName; key: Record<string, string> };
}

/**
 * Finds a resource by its name, its identifier or its id.
 *
 * @throws ServiceError `not-found` if the resource does not exist; archived flows and environments do not exist here
 */
type Find = (table: Table, org: Organization, name: string) => Promise<Tagged>;

/** How each kind of resource is found (rules/tags.md#resource-types). */
export const FIND: Readonly<Record<TaggedKind, Find>> = {
  async flow(table, org, name) {
    const flow = await findFlow(table, org.id, AnyFlowName.parse(name));
    if (!flow || flow.archived !== null) throw unknownFlow({ flow: name, org: org.name });
    const { id } = flow;
    const entry = (tag: string, value: string) => flowTagKey(org.id, tag, value, id);
    const line = { name: 'flows/tags', key: { flow: id } } as const;
    return { id, name: flow.name, place: { item: flowTagsKey(org.id, id), entry }, line };
  },

  async environment(table, org, name) {
    const { id, name: present } = await presentEnvironment(table, org, AnyEnvironmentName.parse(name));
    const line = { name: 'environments/tags', key: { environment: id } } as const;
    return { id, name: present, place: { item: environmentTagsKey(org.id, id) }, line };
  },

  /** Only by the internal id, because names contain slashes and are not unique. */
  async repo(table, org, id) {
    const repo = await findRepoById(table, org.id, id);
    if (!repo) throw unknownRepo({ repo: id });
    const entry = (tag: string, value: string) => repoTagKey(org.id, tag, value, id);
    return { id, name: repo.name, place: { item: repoTagsKey(org.id, id), entry } };
  },

  async control(table, org, identifier) {
    const control = await readControlHead(table, org.id, identifier);
    if (!control) throw unknownControlTagged({ control: identifier, org: org.name });
    const { id } = control;
    const entry = (tag: string, value: string) => controlTagKey(org.id, tag, value, id);
    const line = { name: 'controls/tags', key: { control: identifier } } as const;
    return { id, name: identifier, place: { item: controlTagsKey(org.id, identifier), entry }, line };
  },
};
