import { localDatabase, localObjects } from '#infra/local/clients.ts';
import { LOCAL } from '#infra/local/settings.ts';
import { type OrganizationId, storedId } from '#shared/base/ids.ts';
import { entryHash } from '#shared/base/proofs/hash-chain.ts';
import { systemClock } from '#shared/base/time.ts';
import { copyCheckpoint } from '#shared/log/publish.ts';
import { readCheckpoint } from '#shared/log/records/log-state.ts';
import { parseEntry } from '#shared/log/rules/entry.ts';
import { verifyReceipt } from '#shared/log/rules/verify/receipt.ts';
import { Table } from '#shared/table/table.ts';
import { parseVerifierKey } from '#shared/tlog/keys.ts';
import { policyOf } from '#shared/tlog/policy.ts';
import { decodeBundle, TILE_WIDTH, tilePath, tileWidth } from '#shared/tlog/tiles.ts';
import type { StackFile } from '#test/support/stack-process.ts';
import { type RemoteOptions, verifyRemote } from '#verify/remote-log.ts';
import { KEY, ORG } from './stack-api.ts';

/** A moment or snapshot that the answer of a write named. */
export interface Appended {
  hash: string;
  /** Path of the receipt. */
  receipt: string;
}

/** Reads what an answer says in `Evidence-Moment` and `Link`. */
export function appendedOf(headers: Headers): Appended[] {
  const hashes = headers.get('evidence-moment')?.split(', ') ?? [];
  const receipts = [...(headers.get('link') ?? '').matchAll(/<([^>]+)>; rel="receipt"/g)];
  return hashes.map((hash, i) => ({ hash, receipt: new URL(receipts[i]?.[1] ?? '').pathname }));
}

interface DescribedLog {
  origin: string;
  size: number;
  checkpoint_size: number | null;
  verifier_keys: { key: string }[];
}

/** The log of the organization in a running stack, as an auditor sees it. */
export function logOfStack({ url, endpoints }: StackFile) {
  const address = `${url}/api/v2/log/${ORG}`;
  const read = async (where: string): Promise<Buffer> => {
    const headers = { authorization: `Bearer ${KEY}`, accept: 'application/json' };
    const answer = await fetch(where, { headers });
    if (answer.status !== 200) throw new Error(`GET ${where}: ${answer.status} ${await answer.text()}`);
    return Buffer.from(await answer.arrayBuffer());
  };
  const describe = async () => JSON.parse((await read(address)).toString()) as DescribedLog;
  const keyOfLog = async () => (await describe()).verifier_keys[0]?.key ?? '';

  return {
    address,
    describe,
    keyOfLog,

    /** Returns the hashes of all moments and snapshots that the newest checkpoint covers. */
    async hashes(): Promise<string[]> {
      const size = (await describe()).checkpoint_size ?? 0;
      const entries: Buffer[] = [];
      for (let index = 0; index * TILE_WIDTH < size; index += 1) {
        const width = tileWidth(size, 'entries', index);
        entries.push(...decodeBundle(await read(`${address}/tile/${tilePath({ level: 'entries', index, width })}`)));
      }
      return entries
        .filter((entry) => 'number' in parseEntry(entry).subject)
        .map((bytes) => entryHash(bytes).toString('hex'));
    },

    verify: (logKey: string, options: Partial<RemoteOptions> = {}) =>
      verifyRemote({ url: address, policy: policyOf(parseVerifierKey(logKey)), token: KEY, ...options }).then(
        ({ counts }) => counts,
      ),

    /** Verifies the receipt of a moment. @returns the hash that it proves */
    async provenHash(logKey: string, { receipt }: Appended): Promise<unknown> {
      return verifyReceipt(receipt, await read(url + receipt), policyOf(parseVerifierKey(logKey))).counts['hash'];
    },

    /** Copies the newest checkpoint to the bucket. The minute sweep has the same done after the last write. */
    async copyNewestCheckpoint(): Promise<void> {
      const { origin } = await describe();
      const org = storedId<OrganizationId>(origin.split('.', 1)[0] ?? '');
      const table = new Table(localDatabase(endpoints.dynamodb), LOCAL.tableName);
      const checkpoint = await readCheckpoint(table, org);
      if (!checkpoint) throw new Error('The log has no checkpoint');
      await copyCheckpoint({ table, objects: localObjects(endpoints.s3), clock: systemClock() }, org, checkpoint);
    },
  };
}
