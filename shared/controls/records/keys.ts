import { hash } from 'node:crypto';
import {
  type Fingerprint,
  type FlowId,
  type Id,
  type OrganizationId,
  type PolicyId,
  storedId,
} from '#shared/base/ids.ts';
import type { TrailName } from '#shared/base/names.ts';
import type { Key, PartitionKey } from '#shared/table/items.ts';
import { family, keyIn, sequence } from '#shared/table/keys.ts';

/** Keys of controls and decisions. `access-patterns.ts` lists the questions that they answer. */

export const controlPartition = (org: OrganizationId, identifier: string): PartitionKey =>
  family(org, 'CONTROL', identifier);
/** The current state of a control. */
export const controlHeadKey = (org: OrganizationId, identifier: string): Key =>
  keyIn(controlPartition(org, identifier), 'HEAD');
/** Reads organization and identifier from a {@link controlPartition}; null for other partitions. */
export function readControlPartition(pk: PartitionKey): { org: OrganizationId; control: string } | null {
  const [org = '', name, control, ...rest] = pk.split('#');
  return name === 'CONTROL' && control !== undefined && rest.length === 0 ? { org: storedId(org), control } : null;
}
/** The range of sort keys that lists show: head and tags, without the versions. */
export const CONTROL_RANGE = { from: 'HEAD', to: 'TAGS' } as const;
export const controlVersionKey = (org: OrganizationId, identifier: string, version: number): Key =>
  keyIn(controlPartition(org, identifier), `V#${sequence(version)}`);
export const controlTagsKey = (org: OrganizationId, identifier: string): Key =>
  keyIn(controlPartition(org, identifier), 'TAGS');

/** The controls that have a tag of this name. */
export const controlTagPartition = (org: OrganizationId, name: string): PartitionKey => family(org, 'CONTROLTAG', name);
/** A control by one of its tags. The key holds the digest of the value, which may be longer than a key. */
export const controlTagKey = (org: OrganizationId, name: string, value: string, id: Id): Key =>
  keyIn(controlTagPartition(org, name), `${hash('sha256', value)}#${id}`);

/** Decisions about a control on one fingerprint or on one trail (rules/controls.md#index-of-decisions). */
export const decisionPartition = (
  org: OrganizationId,
  control: string,
  about: { fingerprint: Fingerprint } | { flow: FlowId; trail: TrailName },
): PartitionKey =>
  'fingerprint' in about
    ? family(org, 'DECISION', control, 'F', about.fingerprint)
    : family(org, 'DECISION', control, 'T', about.flow, about.trail);

/** The policies whose newest version names a control. */
export const controlPolicyPartition = (org: OrganizationId, control: string): PartitionKey =>
  family(org, 'CONTROLPOLICY', control);
export const controlPolicyKey = (org: OrganizationId, control: string, policy: PolicyId): Key =>
  keyIn(controlPolicyPartition(org, control), policy);
