import { canonicalJson } from '#shared/base/proofs/hash-chain.ts';
import { type Micros, toSeconds } from '#shared/base/time.ts';
import { descriptor, type Resource, type Verifier } from './verification-summary.ts';

/** What a statement about the case of a watch says (rules/log.md#statement-of-a-case). It is a fact and no verdict. */
export interface CaseSummary {
  kind: 'case';
  uri: string;
  /** Name of the watch. */
  name: string;
  /** When the facts were read. */
  asOf: Micros;
  /** The case in the names and units of the API. */
  facts: Readonly<Record<string, unknown>>;
  /** The entries of the audit log about the last change of the watch and about each of its matches. There is at least one. */
  entries: readonly Required<Resource>[];
}

/** Returns the text of the statement. */
export const caseText = ({ uri, name, asOf, facts, entries }: CaseSummary, { host, nonce }: Verifier): string =>
  canonicalJson({
    _type: 'https://in-toto.io/Statement/v1',
    subject: entries.map(({ sha256 }) => ({ name, digest: { sha256 } })),
    predicateType: `${host}/watch-case/v1`,
    predicate: {
      verifier: { id: `${host}/verifier/v1` },
      resourceUri: uri,
      inputAttestations: entries.map(descriptor),
      as_of: toSeconds(asOf),
      ...facts,
      [`${host}/nonce`]: nonce,
    },
  });
