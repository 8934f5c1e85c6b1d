import { retrying } from '#shared/base/retry.ts';
import { deleteAction, saveAction, secretRotated } from '#shared/notifications/change-action.ts';
import { findAction } from '#shared/notifications/records/actions.ts';
import { actionSecretKey } from '#shared/notifications/records/keys.ts';
import type { ActionRecord } from '#shared/notifications/rules/records.ts';
import { auditWrite } from '#shared/organizations/records/audit.ts';
import type { Table } from '#shared/table/table.ts';
import { authorOf, bySubject, commit, type EndEntry, endOf, type Restoring, stampOfEntry } from '../context.ts';

/** Deletes actions that were deleted after the instant, takes out targets that were taken out, and replaces rotated secrets. */
export async function endActions(restoring: Restoring, entries: readonly EndEntry[]): Promise<void> {
  const { stores, from, org, report } = restoring;
  for (const { name: number, own, newest: entry } of bySubject(entries)) {
    const present = await findAction(stores.table, org.id, Number(number));
    if (!present) continue;
    if (own.some(({ kind }) => kind === 'action.deleted')) {
      await report.apply(endOf(restoring, entry), () => deleteAgain(restoring, present, entry));
    } else if (from) {
      await endTargets(restoring, from, present, entry);
      await endSecret(restoring, from, present, entry);
    } else {
      const reason =
        'Addresses and secrets of targets are in the old table only. Look at the targets, and rotate the secret';
      await report.leaveOpen(endOf(restoring, entry), reason);
    }
  }
}

async function deleteAgain(restoring: Restoring, { number }: ActionRecord, entry: EndEntry): Promise<void> {
  const author = authorOf(restoring, entry);
  if (author) await deleteAction(restoring.stores, author, { number });
}

/** An action without a target that is left is deleted. Other changes of an action end nothing. */
async function endTargets(restoring: Restoring, from: Table, present: ActionRecord, entry: EndEntry): Promise<void> {
  const { stores, org, report } = restoring;
  const author = authorOf(restoring, entry);
  const old = await findAction(from, org.id, present.number);
  if (!author || !old) return;
  const left = present.targets.filter(({ key }) => old.targets.some((target) => target.key === key));
  if (left.length === present.targets.length) return;
  await report.apply(endOf(restoring, entry), async () => {
    if (left.length === 0) return deleteAction(stores, author, { number: present.number });
    await retrying(async () => {
      const before = await findAction(stores.table, org.id, present.number);
      const { name, triggers, flows, environments } = before ?? present;
      const given = { name, triggers, flows, environments, targets: left };
      return saveAction(stores, author, { kind: present.kind, before, given });
    });
  });
}

/** Receivers verify with the newest secret, so a rotation is applied as a whole. */
async function endSecret(restoring: Restoring, from: Table, { number }: ActionRecord, entry: EndEntry): Promise<void> {
  const { stores, org, report } = restoring;
  const key = actionSecretKey(org.id, number);
  const [old, present] = await Promise.all([from.get(key), stores.table.get(key)]);
  const action = await findAction(stores.table, org.id, number);
  if (!action || !old || !present || old['secret'] === present['secret']) return;
  await report.apply({ ...endOf(restoring, entry), kind: 'action.secret_rotated' }, () =>
    commit(stores.table, async () => [{ put: old }, auditWrite(org.id, stampOfEntry(entry), secretRotated(action))]),
  );
}
