import type { Stores } from '#shared/bodies/stores.ts';
import type { SigningKeys } from '#shared/signing/keys.ts';
import type { Uses } from '#shared/table/uses.ts';
import { formatVerifierKey, type KeyType, verifierKey } from '#shared/tlog/keys.ts';
import { readWitnessed } from '../records/witnessed.ts';
import { nothingCosigned } from '../rules/sentences.ts';
import { witnessName } from '../rules/witness.ts';
import { parseWitnessedLogs } from '../rules/witness-settings.ts';

/** Settings of the witness of a region (rules/log.md#settings-of-witnesses). */
export interface WitnessSettings {
  logDomain: () => string;
  /** Keys of the logs that the witness cosigns, separated by white space. */
  witness: { logs: string };
}

export interface DescribeServices extends WitnessSettings {
  keys: Pick<SigningKeys, 'witness' | 'log'>;
}

export const DESCRIBE_WITNESS: Uses = { keys: ['witness:read', 'log:read'] };

/** Describes the witness of this region for operators of others (rules/log.md#description-of-a-witness). @param address of the witness */
export async function describeWitness({ keys, logDomain, witness }: DescribeServices, address: string) {
  const [witnessKey, logKey] = await Promise.all([keys.witness(), keys.log()]);
  const text = (name: string, type: KeyType, { publicKey }: { publicKey: Buffer }) =>
    formatVerifierKey(verifierKey(name, type, publicKey));
  const own = text(witnessName(logDomain()), 'cosignature', witnessKey);
  return {
    policyLine: `witness ${logDomain()} ${own} ${address}`,
    logsKey: text(logDomain(), 'ed25519', logKey),
    knownLogs: parseWitnessedLogs(witness.logs).map(formatVerifierKey),
  };
}

export const GET_COSIGNED: Uses = { reads: ['@WITNESS'] };

/**
 * Reads the checkpoint of a log that the witness cosigned last, as a signed note (rules/log.md#monitoring-of-a-witness).
 *
 * @param log SHA-256 of the origin in lower-case hex; any other text is unknown
 * @throws ServiceError `not-found` if the witness has cosigned nothing of the log
 */
export async function getCosignedCheckpoint({ table }: Pick<Stores, 'table'>, log: string): Promise<string> {
  const witnessed = /^[0-9a-f]{64}$/.test(log) ? await readWitnessed(table, log) : null;
  if (witnessed?.note === undefined) throw nothingCosigned();
  return witnessed.note;
}
