import type { Reading, Stores } from '#shared/bodies/stores.ts';
import type { Organization } from '#shared/callers/caller.ts';
import type { SigningKeys } from '#shared/signing/keys.ts';
import type { Uses } from '#shared/table/uses.ts';
import { formatVerifierKey, verifierKey } from '#shared/tlog/keys.ts';
import { encodeBundle, encodeTile, parseTilePath, tileWidth } from '#shared/tlog/tiles.ts';
import { readCheckpoint, readLogState } from './records/log-state.ts';
import { pemOf, policyText, trustedRoot } from './rules/description.ts';
import { noCheckpoint, noTile } from './rules/sentences.ts';
import type { LogNames } from './services.ts';
import { logTiles } from './tiles.ts';

export interface DescribeServices extends Pick<Stores, 'table'>, LogNames {
  keys: Pick<SigningKeys, 'log' | 'statement'>;
  /** The policy that says which witnesses cosign the logs of the region. */
  witness: { policy?: string | undefined };
}

export const DESCRIBE_LOG: Uses = { keys: ['log:read', 'statement:read'] };

/**
 * Describes the log of an organization for its verifiers (rules/log.md#description-of-a-log).
 *
 * @param address of the log
 * @returns `checkpointSize`: entries that the newest checkpoint covers; null if none was published
 */
export async function describeLog(
  { table, keys, origin: originOf, witness }: DescribeServices,
  org: Organization,
  address: string,
) {
  const [{ head, checkpoint }, { publicKey }, statementKey] = await Promise.all([
    readLogState(table, org.id),
    keys.log(),
    keys.statement(),
  ]);
  const origin = head?.origin ?? originOf(org.id);
  const key = verifierKey(origin, 'ed25519', publicKey);
  return {
    origin,
    size: head?.range.size ?? 0,
    checkpointSize: checkpoint?.range.size ?? null,
    verifierKey: formatVerifierKey(key),
    statementKey: pemOf(statementKey.publicKey),
    policy: policyText(key, address, witness.policy),
    trustedRoot: trustedRoot(key),
    backfilled: head?.backfilled ?? null,
  };
}

/** Reads the newest checkpoint of a log as a signed note (rules/log.md#serving). @throws ServiceError `not-found` */
export async function getCheckpoint({ table }: Pick<Stores, 'table'>, org: Organization): Promise<string> {
  const checkpoint = await readCheckpoint(table, org.id);
  if (!checkpoint) throw noCheckpoint({ org: org.name });
  return checkpoint.note;
}

export const GET_TILE: Uses = { bucket: ['log:read'] };

/**
 * Reads a tile of hashes or a bundle of entries (rules/log.md#serving).
 *
 * @throws ServiceError `not-found` if the newest checkpoint covers no such tile
 */
export async function getTile(stores: Reading, org: Organization, path: string): Promise<Buffer> {
  const tile = parseTilePath(path);
  const checkpoint = tile && (await readCheckpoint(stores.table, org.id));
  const size = checkpoint?.range.size ?? 0;
  if (!tile || tile.width > tileWidth(size, tile.level, tile.index)) throw noTile({ org: org.name, path });
  const { level, index, width } = tile;
  const tiles = logTiles(stores, org.id, size);
  return level === 'entries'
    ? encodeBundle(await tiles.entries(index, width))
    : encodeTile(await tiles.hashes({ level, index, width }));
}
