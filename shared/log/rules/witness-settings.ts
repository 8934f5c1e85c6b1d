import { malformed } from '#shared/tlog/errors.ts';
import { parseVerifierKey, type VerifierKey } from '#shared/tlog/keys.ts';
import { type Policy, parsePolicy } from '#shared/tlog/policy.ts';

/** The settings of a region about witnesses (rules/log.md#settings-of-witnesses). */

/** The environment of a function has at most 4 KB. */
const LONGEST_POLICY = 2_000;

/**
 * Reads the policy that says which witnesses are asked and how many of them have to cosign.
 *
 * @throws TlogError `malformed` with the number of the line where there is one
 */
export function parseWitnessPolicy(text: string): Policy {
  const policy = parsePolicy(text);
  if (text.length > LONGEST_POLICY) throw malformed(`The policy has more than ${LONGEST_POLICY} characters.`);
  if (policy.logs.length > 0) throw malformed('The policy names a log. The service adds the line of each log itself.');
  for (const [name, { url }] of policy.witnesses) {
    if (url === undefined || !/^https?:$/.test(new URL(url).protocol)) {
      throw malformed(`The witness '${name}' has no http address at which it can be asked.`);
    }
  }
  return policy;
}

/**
 * Reads the keys of the logs that the witness of a region cosigns, separated by white space.
 *
 * @throws TlogError `malformed`
 */
export function parseWitnessedLogs(text: string): VerifierKey[] {
  const keys = text.split(/\s+/).filter((word) => word !== '');
  return keys.map((word) => {
    const key = parseVerifierKey(word);
    if (key.type !== 'ed25519') throw malformed(`The key '${word}' is the key of a witness and not of a log.`);
    return key;
  });
}
