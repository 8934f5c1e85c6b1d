import { canonicalJson } from '#shared/base/proofs/hash-chain.ts';
import { secondsOf, secondsOrNull, toSeconds } from '#shared/base/time.ts';
import { type Arrival, type Gap, shownState } from '#shared/expectations/rules/gaps/gap.ts';
import { shownSubject } from '#shared/expectations/rules/gaps/shown-subject.ts';
import { lengthOf } from '#shared/expectations/rules/gaps/unknown-time.ts';
import { descriptor, type Resource, type Verifier } from './verification-summary.ts';

/** What a statement about a gap says (rules/log.md#statement-of-a-gap). It is a fact and no verdict, so it has a form of its own. */
export interface GapSummary {
  kind: 'gap';
  uri: string;
  /** Address of the expectation. */
  expectation: string;
  gap: Gap;
  /** The entry of the audit log about the last change of the gap. */
  entry: Required<Resource>;
}

/** Returns the text of the statement. Fields of a gap have the names and the units of the API: seconds with a fraction. */
export function gapText({ uri, expectation, gap, entry }: GapSummary, { host, nonce }: Verifier): string {
  const { name, version } = gap.expectation;
  return canonicalJson({
    _type: 'https://in-toto.io/Statement/v1',
    subject: [{ name, digest: { sha256: entry.sha256 } }],
    predicateType: `${host}/gap/v1`,
    predicate: {
      verifier: { id: `${host}/verifier/v1` },
      resourceUri: uri,
      inputAttestations: [descriptor(entry)],
      expectation: {
        uri: expectation,
        name,
        version,
        kind: gap.kind,
        severity: gap.severity,
        owner: gap.owner,
        every_seconds: secondsOf(gap.every),
        grace_seconds: secondsOf(gap.grace),
      },
      subject: shownSubject(gap.subject),
      state: shownState(gap),
      as_of: toSeconds(gap.changedAt),
      from: toSeconds(gap.from),
      detected_at: toSeconds(gap.detectedAt),
      until: secondsOrNull(gap.until),
      ended: gap.ended,
      last_before: arrived(gap.lastBefore),
      first_after: arrived(gap.firstAfter),
      unknown_seconds: secondsOf(lengthOf(gap.unknown)),
      explanation: gap.explanation && { ...gap.explanation, at: toSeconds(gap.explanation.at) },
      [`${host}/nonce`]: nonce,
    },
  });
}

const arrived = (arrival: Arrival | null) => arrival && { at: toSeconds(arrival.at) };
