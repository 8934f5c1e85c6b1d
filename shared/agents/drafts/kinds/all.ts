import type { DraftKindName } from '../../rules/draft.ts';
import type { DraftKind } from '../draft-kind.ts';
import { attestationDraft, overrideDraft } from './attestation.ts';
import { expectationDraft } from './expectation.ts';
import { policyDraft } from './policy.ts';

/** What agents may propose, by the kind of the draft. */
export const DRAFTABLE: Readonly<Record<DraftKindName, DraftKind>> = {
  attestation: attestationDraft,
  override: overrideDraft,
  policy: policyDraft,
  expectation: expectationDraft,
};
