import * as z from 'zod';
import { type Id, storedId } from '#shared/base/ids.ts';
import { fromSeconds, type Micros } from '#shared/base/time.ts';
import { subjectOf } from '#shared/organizations/keys/key-owner.ts';
import { accountKeyList, readKey, revocationWrites } from '#shared/organizations/records/api-keys.ts';
import { type AuditedChange, auditWrite } from '#shared/organizations/records/audit.ts';
import { Directory } from '#shared/organizations/records/directory.ts';
import { ApiKeyRecord, PrincipalKeyRecord } from '#shared/organizations/records/directory-records.ts';
import { apiKeyKey, principalKeyKey } from '#shared/organizations/records/keys.ts';
import { change } from '#shared/table/expressions.ts';
import { keyText, readRecord, type Table, type Write } from '#shared/table/table.ts';
import { bySubject, commit, type EndEntry, endOf, type Restoring, stampOfEntry } from '../context.ts';

/** A key of the restored table, in the list of its owner. */
interface KeyPlace {
  list: string;
  id: Id;
}

/** Revokes keys that were revoked after the instant, and ends secrets that a rotation replaced. */
export async function endKeys(restoring: Restoring, entries: readonly EndEntry[]): Promise<void> {
  const { from, report } = restoring;
  for (const { name: id, own, newest: entry } of bySubject(entries)) {
    const list = await keyListIn(restoring, entry);
    if (list === undefined) {
      const reason = 'The values of the entry were erased, so nothing says whose key it is. Look at the keys';
      await report.leaveOpen(endOf(restoring, entry), reason);
      continue;
    }
    const place = { list, id: storedId<Id>(id) };
    if (own.some(({ kind }) => kind === 'api_key.revoked')) await revokeAgain(restoring, place, entry);
    else if (from) await rotateAgain(restoring, from, place, entry);
    else await endReplacedSecret(restoring, place, own);
  }
}

const Owner = z.object({ owner: z.string() });

/** Keys of a personal organization's log are those of its user; all others are of service accounts. */
async function keyListIn({ stores, org }: Restoring, { before }: EndEntry): Promise<string | undefined> {
  if (org.kind === 'personal') return (await new Directory(stores.table).user(org.name))?.id;
  const owner = Owner.safeParse(before).data?.owner;
  return owner === undefined ? undefined : accountKeyList(org.id, owner);
}

async function revokeAgain(restoring: Restoring, { list, id }: KeyPlace, entry: EndEntry): Promise<void> {
  const { stores, org, report } = restoring;
  const { table, clock } = stores;
  if (!(await readKey(table, list, id, clock.now()))) return;
  await report.apply(endOf(restoring, entry), () =>
    commit(table, async () => {
      const key = await readKey(table, list, id, clock.now());
      if (!key) return [];
      const { current } = key;
      const revoked: AuditedChange = {
        kind: 'api_key.revoked',
        subject: subjectOf(current),
        before: { owner: current.principal.name },
      };
      return [...revocationWrites(key), auditWrite(org.id, stampOfEntry(entry), revoked)];
    }),
  );
}

/**
 * Applies a rotation as a whole: the old secrets end when they ended in the old table, and the new secret works, because the key
 * itself was not ended.
 */
async function rotateAgain(restoring: Restoring, from: Table, place: KeyPlace, entry: EndEntry): Promise<void> {
  const { stores, org, report } = restoring;
  const writes = await rotationOf(from, stores.table, place);
  if (writes.length === 0) return;
  await report.apply(endOf(restoring, entry), () =>
    commit(stores.table, async () => [...writes, rotatedWrite(org, place, entry)]),
  );
}

/** The audit entry of a rotation, as the old table had it. */
const rotatedWrite = ({ id: org }: Restoring['org'], { id }: KeyPlace, entry: EndEntry): Write => {
  const { subject, before, after } = entry;
  return auditWrite(org, stampOfEntry(entry), {
    kind: 'api_key.rotated',
    subject: { type: 'api_key', id, name: subject.name },
    ...(before && { before }),
    ...(after && { after }),
  });
};

/** Returns the writes that give a key the secrets that it has in the old table; none if they are the same, or if either has no such key. */
export async function rotationOf(from: Table, to: Table, { list, id }: KeyPlace): Promise<Write[]> {
  const key = principalKeyKey(list, id);
  const [old, present] = await Promise.all([from.get(key), to.get(key)]);
  if (!old || !present) return [];
  const [then, now] = [PrincipalKeyRecord.parse(old), PrincipalKeyRecord.parse(present)];
  if (then.hash === now.hash) return [];
  const hashes = new Set([then, now].flatMap(({ hash, previous }) => [hash, ...previous]));
  const secrets = await from.getMany([...hashes].map(apiKeyKey));
  return [{ put: old }, ...[...secrets.values()].map((put) => ({ put }))];
}

const Grace = z.object({ grace_period_expires_at: z.number() });

/** Without the old table nothing has the new secret. The old one ends when the answer of the first rotation said. */
async function endReplacedSecret(restoring: Restoring, place: KeyPlace, entries: readonly EndEntry[]): Promise<void> {
  const { stores, org, report } = restoring;
  const { table } = stores;
  const { list, id } = place;
  const listed = await readRecord(table, principalKeyKey(list, id), PrincipalKeyRecord);
  if (!listed) return;
  const secrets = await table.getMany([listed.hash, ...listed.previous].map(apiKeyKey));
  const known = new Set([...secrets.values()].map((item) => ApiKeyRecord.parse(item).graceEndsAt));
  for (const entry of entries) {
    const seconds = Grace.safeParse(entry.after).data?.grace_period_expires_at;
    const end = endOf(restoring, entry);
    if (seconds === undefined) {
      await report.leaveOpen(end, 'The values of the entry were erased. Revoke the key, and issue another one');
      continue;
    }
    const graceEndsAt: Micros = fromSeconds(seconds);
    // The restored table has this rotation already.
    if (known.has(graceEndsAt)) continue;
    if (!secrets.has(keyText(apiKeyKey(listed.hash)))) return;
    await report.apply(end, () =>
      commit(table, async () => [
        { update: apiKeyKey(listed.hash), ...change({ set: { graceEndsAt } }) },
        rotatedWrite(org, place, entry),
      ]),
    );
    return report.leaveOpen(end, 'The new secret is in the old table only. Rotate the key again, or issue another one');
  }
}
