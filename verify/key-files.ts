import { createPublicKey } from 'node:crypto';
import { trustedRootText } from '#shared/log/rules/description.ts';
import { formatVerifierKey } from '#shared/tlog/keys.ts';
import { type OpenedCheckpoint, type Policy, parsePolicy } from '#shared/tlog/policy.ts';
import type { ExportFiles } from './export-files.ts';
import { Fault, inPlace } from './fault.ts';

const pemText = (pem: string): string => createPublicKey(pem).export({ format: 'pem', type: 'spki' }).toString();

/**
 * Compares the keys in an export with the given ones (rules/verification.md#trust). Nothing is verified with keys of the
 * export. But a wrong key in it would mislead other programs, so it is a fault.
 *
 * @param statementKey the given key of statements as PEM; without it, that file is not compared
 */
export async function verifyKeyFiles(
  files: ExportFiles,
  { logs, witnesses }: Policy,
  { origin }: OpenedCheckpoint,
  statementKey: string | undefined,
): Promise<void> {
  const keys = logs.map(({ key }) => key).filter(({ name }) => name === origin);
  const [vkey, policy, root] = ['data/keys/log.vkey', 'data/keys/policy', 'data/keys/trusted_root.json'] as const;
  const text = async (path: string) => (await files.read(path)).toString('utf8');
  const given = keys.map(formatVerifierKey);
  const vkeyText = await text(vkey);
  if (!given.some((key) => vkeyText === `${key}\n`)) throw new Fault(vkey, 'this is another key than the given one');
  const policyText = await text(policy);
  const exported = inPlace(policy, () => parsePolicy(policyText));
  const named = exported.logs.map(({ key }) => formatVerifierKey(key));
  if (named.length === 0 || !named.every((key) => given.includes(key))) {
    throw new Fault(policy, 'the policy names another key of the log than the given one');
  }
  const trusted = [...witnesses.values()].map(({ key }) => key);
  for (const { key } of exported.witnesses.values()) {
    const sameName = trusted.filter(({ name }) => name === key.name).map(formatVerifierKey);
    if (sameName.length === 0 || sameName.includes(formatVerifierKey(key))) continue;
    throw new Fault(policy, `the policy names another key of the witness '${key.name}' than the given policy`);
  }
  const rootText = await text(root);
  if (!keys.some((key) => rootText === trustedRootText(key))) {
    throw new Fault(root, 'the trusted root is not that of the given key');
  }
  const pem = 'data/keys/statements.pem';
  if (statementKey !== undefined && (await text(pem)) !== pemText(statementKey)) {
    throw new Fault(pem, 'this is another key than the given one');
  }
}
