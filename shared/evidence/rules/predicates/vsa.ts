import * as z from 'zod';
import { checked, listed, listOf, Resource, shown, shownResource, text } from './fields.ts';

const Result = z.enum(['PASSED', 'FAILED']);
const Verifier = z.object({ id: z.string().min(1) });

const SummaryV1 = z.object({
  verifier: Verifier,
  timeVerified: text,
  resourceUri: text,
  policy: Resource.nullish(),
  inputAttestations: listOf(z.unknown()),
  verificationResult: Result,
  verifiedLevels: listOf(z.string()),
  slsaVersion: text,
});

const SummaryV02 = z.object({
  verifier: Verifier,
  time_verified: text,
  resource_uri: text,
  policy: Resource.nullish(),
  input_attestations: listOf(z.unknown()),
  verification_result: Result,
  policy_level: text,
});

/** Summarizes a verification summary of version 1. @throws PredicateUnreadable */
export function readVsaV1(predicate: unknown) {
  const found = checked(SummaryV1, predicate);
  return {
    verifier: { id: shown(found.verifier.id) },
    result: found.verificationResult,
    levels: listed(found.verifiedLevels, shown),
    resource_uri: shown(found.resourceUri),
    policy: found.policy ? shownResource(found.policy) : null,
    verified_at: shown(found.timeVerified),
    slsa_version: shown(found.slsaVersion),
    input_count: found.inputAttestations?.length ?? 0,
  };
}

/** Summarizes a verification summary of version 0.2, whose fields have other names. @throws PredicateUnreadable */
export function readVsaV02(predicate: unknown) {
  const found = checked(SummaryV02, predicate);
  return {
    verifier: { id: shown(found.verifier.id) },
    result: found.verification_result,
    levels: listed(found.policy_level ? [found.policy_level] : [], shown),
    resource_uri: shown(found.resource_uri),
    policy: found.policy ? shownResource(found.policy) : null,
    verified_at: shown(found.time_verified),
    slsa_version: null,
    input_count: found.input_attestations?.length ?? 0,
  };
}
