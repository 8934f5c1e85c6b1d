import { type Checkpoint, parseCheckpoint } from './checkpoint.ts';
import { readText } from './encoding.ts';
import { malformed, TlogError } from './errors.ts';
import { type KeyType, parseVerifierKey, type VerifierKey } from './keys.ts';
import { type Note, parseNote, type VerifiedSignature, verifySignatures } from './notes.ts';

/** Which logs and which witnesses a verifier trusts (C2SP tlog-policy; rules/log.md#policies). */

export interface Party {
  key: VerifierKey;
  /** Where it is reached. A verifier without network needs none. */
  url?: string;
}

interface Group {
  /** How many members have to cosign. */
  threshold: number;
  members: string[];
}

export interface Policy {
  /** A log has several keys while one replaces another. */
  logs: Party[];
  witnesses: Map<string, Party>;
  groups: Map<string, Group>;
  /** Name of the witness or group that has to cosign. Undefined means `none`. */
  quorum?: string;
}

/** Returns the policy that trusts these keys of logs and asks for no witness. */
export const policyOf = (...keys: VerifierKey[]): Policy => ({
  logs: keys.map((key) => ({ key })),
  witnesses: new Map(),
  groups: new Map(),
});

export interface OpenedCheckpoint extends Checkpoint {
  note: Note;
  signatures: VerifiedSignature[];
}

/**
 * Reads a signed checkpoint and verifies it: a key of its log signed it, no known signature is wrong, and the quorum of
 * witnesses cosigned it.
 *
 * @throws TlogError `malformed`, `origin`, `signature` or `quorum`
 */
export function openCheckpoint(bytes: Uint8Array | string, policy: Policy): OpenedCheckpoint {
  const note = parseNote(bytes);
  const checkpoint = parseCheckpoint(note.text);
  const logKeys = policy.logs.map(({ key }) => key).filter(({ name }) => name === checkpoint.origin);
  if (logKeys.length === 0) throw new TlogError('origin', `No key is given for the log '${checkpoint.origin}'.`);
  const signatures = [...verifySignatures(note, logKeys), ...verifySignatures(note, witnessKeys(policy))];
  if (!signatures.some(({ key }) => logKeys.includes(key))) {
    throw new TlogError('signature', `No given key of the log '${checkpoint.origin}' signed the checkpoint.`);
  }
  if (!hasQuorum(policy, signatures)) {
    throw new TlogError('quorum', `Too few witnesses cosigned the checkpoint for the quorum '${policy.quorum}'.`);
  }
  return { ...checkpoint, note, signatures };
}

/**
 * Says whether the witnesses of the quorum cosigned a note. It does not look at the signature of the log.
 *
 * @throws TlogError `signature` if the cosignature of a known witness is wrong
 */
export const satisfied = (policy: Policy, note: Note): boolean =>
  hasQuorum(policy, verifySignatures(note, witnessKeys(policy)));

const witnessKeys = ({ witnesses }: Policy): VerifierKey[] => [...witnesses.values()].map(({ key }) => key);

function hasQuorum({ witnesses, groups, quorum }: Policy, signatures: readonly VerifiedSignature[]): boolean {
  const isMet = (name: string): boolean => {
    const witness = witnesses.get(name);
    if (witness) return signatures.some(({ key }) => key === witness.key);
    const { threshold, members } = groups.get(name) ?? { threshold: 1, members: [] };
    return members.filter(isMet).length >= threshold;
  };
  return quorum === undefined || isMet(quorum);
}

const RESERVED = new Set(['log', 'witness', 'group', 'quorum', 'any', 'all', 'none']);

/**
 * Reads a policy file. Each line is `log <key> [url]`, `witness <name> <key> [url]`,
 * `group <name> <k|any|all> <members>…` or `quorum <name|none>`. A `#` begins a comment. A name is defined before it is
 * used.
 *
 * @throws TlogError `malformed` with the number of the line
 */
export function parsePolicy(bytes: Uint8Array | string): Policy {
  const policy = policyOf();
  let hasQuorumLine = false;
  for (const [i, line] of readText(bytes, 'policy', '\n\t').split('\n').entries()) {
    try {
      const [keyword, ...words] = wordsOf(line);
      if (keyword === undefined) continue;
      if (keyword === 'log') policy.logs.push(parseParty(words, 'ed25519'));
      else if (keyword === 'witness') addWitness(policy, words);
      else if (keyword === 'group') addGroup(policy, words);
      else if (keyword !== 'quorum') throw malformed(`'${keyword}' is not log, witness, group or quorum.`);
      else if (hasQuorumLine) throw malformed('There is a second quorum.');
      else {
        hasQuorumLine = true;
        policy.quorum = parseQuorum(policy, words);
      }
    } catch (error) {
      if (error instanceof TlogError) throw malformed(`Line ${i + 1} of the policy: ${error.message}`);
      throw error;
    }
  }
  if (!hasQuorumLine) throw malformed('The policy has no quorum. Without witnesses, write: quorum none');
  return policy;
}

function wordsOf(line: string): string[] {
  const words = line.replace(/(?:^|[ \t])#.*$/, '').split(/[ \t]+/);
  // Other implementations may cut a word at these characters.
  const unclear = words.find((word) => /[\p{White_Space}#]/u.test(word));
  if (unclear !== undefined) throw malformed(`The word '${unclear}' has white space or a # in it.`);
  return words.filter((word) => word !== '');
}

function parseParty([text, url, ...more]: string[], type: KeyType): Party {
  if (text === undefined || more.length > 0) throw malformed('Write a verifier key and at most one address.');
  const key = parseVerifierKey(text);
  if (key.type !== type) throw malformed(`The verifier key '${text}' is not of the type ${type}.`);
  if (url !== undefined && !URL.canParse(url)) throw malformed(`'${url}' is not an address.`);
  return url === undefined ? { key } : { key, url };
}

function addWitness(policy: Policy, [name, ...words]: string[]): void {
  const party = parseParty(words, 'cosignature');
  if (witnessKeys(policy).some(({ publicKey }) => publicKey.equals(party.key.publicKey))) {
    throw malformed(`Another witness has the same key as '${name}'.`);
  }
  policy.witnesses.set(newName(policy, name), party);
}

function addGroup(policy: Policy, [name, k = '', ...members]: string[]): void {
  for (const member of members) definedName(policy, member);
  if (new Set(members).size < members.length) throw malformed(`The group '${name}' has a member twice.`);
  const threshold = k === 'any' ? 1 : k === 'all' ? members.length : /^[1-9]\d*$/.test(k) ? Number(k) : 0;
  if (threshold < 1 || threshold > members.length) {
    throw malformed(
      `The threshold '${k}' of the group '${name}' is not any, all or a number from 1 to ${members.length}.`,
    );
  }
  policy.groups.set(newName(policy, name), { threshold, members });
}

function parseQuorum(policy: Policy, [name, ...more]: string[]): string | undefined {
  if (more.length > 0) throw malformed('A quorum has one name.');
  return name === 'none' ? undefined : definedName(policy, name);
}

function newName(policy: Policy, name = ''): string {
  if (name === '' || RESERVED.has(name)) throw malformed(`'${name}' is not a name.`);
  if (isDefined(policy, name)) throw malformed(`The name '${name}' is defined twice.`);
  return name;
}

function definedName(policy: Policy, name = ''): string {
  if (!isDefined(policy, name)) throw malformed(`'${name}' is not a witness or group of an earlier line.`);
  return name;
}

const isDefined = ({ witnesses, groups }: Policy, name: string): boolean => witnesses.has(name) || groups.has(name);
