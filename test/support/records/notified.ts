import { type EnvironmentId, type FlowId, newId, type OrganizationId } from '#shared/base/ids.ts';
import type { Clock, Micros } from '#shared/base/time.ts';
import {
  changedAction,
  deletionOf,
  newAction as firstVersion,
  type GivenAction,
} from '#shared/notifications/records/action-writes.ts';
import { readHealth } from '#shared/notifications/records/target-health.ts';
import { freshHealth } from '#shared/notifications/rules/health.ts';
import {
  type ActionRecord,
  ENVIRONMENT_TRIGGERS,
  type Target,
  type Trigger,
} from '#shared/notifications/rules/records.ts';
import { mintSecret } from '#shared/notifications/rules/signature.ts';
import { Directory } from '#shared/organizations/records/directory.ts';
import type { Table } from '#shared/table/table.ts';
import { uniqueName } from '../directory.ts';

/** An organization as the directory has it, without members. */
export async function bareOrganization(table: Table, clock: Clock): Promise<{ org: OrganizationId; name: string }> {
  const name = uniqueName('notified');
  const now = clock.now();
  const org = newId<OrganizationId>(now);
  await new Directory(table).createOrganization({ id: org, name, kind: 'shared', features: [], createdAt: now });
  return { org, name };
}

export const webhookTarget = (webhook: string): Target => ({
  key: `webhook-${webhook.replaceAll(/\W+/g, '-')}`,
  type: 'WEBHOOK',
  webhook,
  payloadVersion: '1.0',
});

export const EVERY_TRIGGER: Trigger[] = ['ON_STARTED_TRAIL', 'ON_ATTESTED_PROVENANCE', 'ON_ATTESTATION'];

/** Stores the first version of an action. */
export const createAction = async (
  table: Table,
  org: OrganizationId,
  kind: ActionRecord['kind'],
  given: GivenAction,
  secret: string,
  stamp: { at: Micros; by: string },
) => table.transact<'again'>((await firstVersion(table, org, kind, { ...given, secret }, stamp)).writes);

/** Stores the version that replaces the content of an action. */
export async function changeAction(
  table: Table,
  org: OrganizationId,
  before: ActionRecord,
  given: GivenAction,
  now: Micros,
) {
  const version = await changedAction(table, org, before, given, now);
  return version === 'again' ? version : table.transact<'again'>(version.writes);
}

/** Stores the last version of an action. */
export const deleteAction = (table: Table, org: OrganizationId, before: ActionRecord, now: Micros) =>
  table.transact<'again'>(deletionOf(org, before, now).writes);

/** Saves a new notification about environments, given by id. */
export async function newNotification(
  { table, clock }: { table: Table; clock: Clock },
  org: OrganizationId,
  environments: EnvironmentId[],
  triggers: Trigger[] = [...ENVIRONMENT_TRIGGERS],
  targets: Target[] = [webhookTarget('https://one.example/hook')],
): Promise<void> {
  const given = { name: uniqueName('notification'), triggers, flows: [], environments, targets };
  const outcome = await createAction(table, org, 'env', given, mintSecret(), { at: clock.now(), by: 'ada' });
  if (outcome !== 'done') throw new Error(`The notification was not saved: ${outcome}`);
}

/** Saves a new action. @returns its signing secret */
export async function newAction(
  { table, clock }: { table: Table; clock: Clock },
  org: OrganizationId,
  targets: Target[],
  { triggers = EVERY_TRIGGER, flows = [] as FlowId[], name = uniqueName('action') } = {},
): Promise<string> {
  const secret = mintSecret();
  const given = { name, triggers, flows, environments: [], targets };
  const outcome = await createAction(table, org, 'flow', given, secret, { at: clock.now(), by: 'ada' });
  if (outcome !== 'done') throw new Error(`The action was not saved: ${outcome}`);
  return secret;
}

/** Reads the health of one target; fresh health if there was no attempt yet. */
export const readTargetHealth = async (table: Table, org: OrganizationId, action: number, key: string) =>
  (await readHealth(table, org, action)).get(key) ?? freshHealth(key);
