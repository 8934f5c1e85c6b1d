import { createPublicKey, hash, type KeyObject, verify } from 'node:crypto';
import * as z from 'zod';
import type { Organization } from '#shared/callers/caller.ts';
import { parseVerifierKey } from '#shared/tlog/keys.ts';
import { type Policy, policyOf } from '#shared/tlog/policy.ts';
import { type DescribeServices, describeLog } from './read-log.ts';
import { PAYLOAD_TYPE, preAuthEncoding } from './rules/dsse.ts';
import { Fault } from './rules/verify/fault.ts';
import { fitting, parsed } from './rules/verify/json.ts';
import { verifyReceipt } from './rules/verify/receipt.ts';
import { verifyStatement } from './rules/verify/statement.ts';

/** What somebody may have of a log: a receipt, a bundle of a statement, or the signed envelope of one, which has no proof. */
type DocumentKind = 'receipt' | 'bundle' | 'envelope';

/**
 * What a document proves, by label, and what it does not prove, as parts of a sentence; or the first thing that is wrong with it. Both can
 * have texts of the document.
 */
export type Verification = { kind: DocumentKind } & (
  | { counts: Readonly<Record<string, string | number>>; exceptions: readonly string[] }
  | { fault: string }
);

/** A statement in a signed envelope, without a proof (rules/log.md#envelopes). */
const Envelope = z.object({
  payload: z.base64(),
  payloadType: z.literal(PAYLOAD_TYPE),
  signatures: z.tuple([z.object({ sig: z.base64() })]),
});

const Statement = z.object({
  predicateType: z.string(),
  subject: z.array(z.looseObject({ digest: z.record(z.string(), z.string()) })),
});

/**
 * Verifies a receipt or a statement as the verifier of the release does, with the keys of the organization's log and of statements
 * (rules/verification.md#receipt). No key comes from the document. Cosignatures of witnesses are not asked for.
 *
 * @param document a receipt as text or as JSON, or a statement as JSON
 * @param address of the log
 */
export async function verifyDocument(
  services: DescribeServices,
  org: Organization,
  { document, address }: { document: string; address: string },
): Promise<Verification> {
  const { verifierKey, statementKey } = await describeLog(services, org, address);
  let kind: DocumentKind = 'receipt';
  try {
    kind = kindOf(document);
    const trust = { policy: policyOf(parseVerifierKey(verifierKey)), key: createPublicKey(statementKey) };
    return { kind, ...VERIFIERS[kind](document, trust) };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { kind, fault: error.message };
  }
}

interface Trust {
  policy: Policy;
  /** The key of statements. */
  key: KeyObject;
}

/** Names the document in faults, which are shown without their place. */
const PLACE = 'document';

const VERIFIERS: Record<DocumentKind, (document: string, trust: Trust) => ReturnType<typeof verifyReceipt>> = {
  receipt: (document, { policy }) => verifyReceipt(PLACE, Buffer.from(document), policy),
  bundle: (document, { policy, key }) => {
    const { checkpoint, index, envelope } = verifyStatement(PLACE, document, policy, key);
    const counts = { log: checkpoint.origin, entry: `${index} of ${checkpoint.size}` };
    return { counts: { ...counts, ...contentOf(Buffer.from(envelope.payload, 'base64')) }, exceptions: [] };
  },
  envelope: (document, { key }) => {
    const { payload, signatures } = fitting(PLACE, Envelope, parsed(PLACE, document, 'statement'));
    const bytes = Buffer.from(payload, 'base64');
    const isSigned = verify(
      'sha256',
      preAuthEncoding(PAYLOAD_TYPE, bytes),
      key,
      Buffer.from(signatures[0].sig, 'base64'),
    );
    if (!isSigned) throw new Fault(PLACE, 'the key of statements did not sign the statement');
    const exceptions = [
      'whether the statement is in the log. The bundle proves it: ask for the statement with format=sigstore',
    ];
    return { counts: contentOf(bytes), exceptions };
  },
};

function contentOf(payload: Buffer) {
  const { predicateType, subject } = fitting(PLACE, Statement, parsed(PLACE, payload.toString('utf8'), 'statement'));
  return { predicate: predicateType, subjects: subject.length, digest: hash('sha256', payload) };
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/**
 * A document that is neither kind of statement counts as a receipt, whose verification says what is wrong with it.
 * @throws Fault if its JSON cannot be read, or is nested so deep that comparing it would end the function
 */
function kindOf(document: string): DocumentKind {
  const value = document.startsWith('{') ? parsed(PLACE, document, 'document') : null;
  if (!isObject(value)) return 'receipt';
  return 'dsseEnvelope' in value ? 'bundle' : 'payloadType' in value ? 'envelope' : 'receipt';
}
