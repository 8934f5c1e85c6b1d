import { readFile } from 'node:fs/promises';
import { TlogError } from '#shared/tlog/errors.ts';
import { parseVerifierKey } from '#shared/tlog/keys.ts';
import { type Policy, parsePolicy, policyOf } from '#shared/tlog/policy.ts';
import { UsageError } from './fault.ts';

/**
 * Returns whom the caller trusts. Nothing here comes from what is verified (rules/verification.md#trust).
 *
 * @param policyFile file of a policy. Its other keys of the same log, its witnesses and its quorum count as well
 * @throws UsageError if the key or the policy cannot be read
 */
export async function readTrust(logKey: string, policyFile?: string): Promise<Policy> {
  try {
    const key = parseVerifierKey(logKey);
    if (key.type !== 'ed25519') throw new UsageError(`--log-key is the key of a witness: '${logKey}'`);
    if (policyFile === undefined) return policyOf(key);
    const policy = parsePolicy(await readGiven(policyFile));
    return { ...policy, logs: [{ key }, ...policy.logs.filter((log) => log.key.name === key.name)] };
  } catch (error) {
    if (error instanceof TlogError) throw new UsageError(error.message, { cause: error });
    throw error;
  }
}

/** Reads a file that the caller names. @throws UsageError if it cannot be read */
export async function readGiven(file: string): Promise<Buffer> {
  try {
    return await readFile(file);
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${error instanceof Error ? error.message : error}`, { cause: error });
  }
}
