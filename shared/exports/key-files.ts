import { pemOf, policyText, trustedRootText } from '#shared/log/rules/description.ts';
import type { SigningKeys } from '#shared/signing/keys.ts';
import { formatVerifierKey, verifierKey } from '#shared/tlog/keys.ts';
import type { ExportedFile } from './context.ts';
import type { PinnedLog } from './records/exports.ts';

/** Makes the files below `data/keys/`, with which verifiers read the log (rules/exports.md#keys-of-an-export). */
export async function keyFiles(
  keys: Pick<SigningKeys, 'log' | 'statement'>,
  log: PinnedLog,
  witnessPolicy: string | undefined,
): Promise<ExportedFile[]> {
  const [{ publicKey }, statementKey] = await Promise.all([keys.log(), keys.statement()]);
  const key = verifierKey(log.origin, 'ed25519', publicKey);
  const texts: [string, string][] = [
    ['log.vkey', `${formatVerifierKey(key)}\n`],
    ['policy', policyText(key, undefined, witnessPolicy)],
    ['trusted_root.json', trustedRootText(key)],
    ['statements.pem', pemOf(statementKey.publicKey)],
  ];
  return texts.map(([name, text]) => ({ path: `data/keys/${name}`, bytes: Buffer.from(text) }));
}
