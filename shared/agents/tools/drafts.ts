import { AttestationDraft, OverrideDraft } from '../drafts/kinds/attestation.ts';
import { ExpectationDraft } from '../drafts/kinds/expectation.ts';
import { PolicyDraft } from '../drafts/kinds/policy.ts';
import { MAKE_DRAFT } from '../drafts/make-draft.ts';
import { tool } from '../tool.ts';
import { propose } from './propose.ts';

/** Tools that propose a write (rules/agents.md#drafts). One tool for each kind, so that its arguments say exactly what it takes. */

const CONFIRMED =
  'Nothing is written: the answer has the address of a page where a person reads the difference and confirms it within an hour. Give that address to the person.';

/** Agents that may only read can propose. Who confirms needs the rights of the write. */
const PROPOSES = { access: 'reader', uses: MAKE_DRAFT } as const;

export const draftAttestation = tool({
  name: 'draft_attestation',
  title: 'Propose an attestation',
  description: `Drafts a generic attestation with a verdict, for a trail or an artifact of it. ${CONFIRMED}`,
  input: AttestationDraft.shape,
  ...PROPOSES,
  run: (context, asked) => propose(context, 'attestation', asked),
});

export const draftOverride = tool({
  name: 'draft_override',
  title: 'Propose to override an attestation',
  description: `Drafts an override: another verdict for an attestation that a trail has, with a reason. ${CONFIRMED}`,
  input: OverrideDraft.shape,
  ...PROPOSES,
  run: (context, asked) => propose(context, 'override', asked),
});

export const draftPolicy = tool({
  name: 'draft_policy',
  title: 'Propose a version of a policy',
  description: `Drafts a new environment policy, or a new version of one. Try it with dry_run_policy first. ${CONFIRMED}`,
  input: PolicyDraft.shape,
  ...PROPOSES,
  run: (context, asked) => propose(context, 'policy', asked),
});

export const draftExpectation = tool({
  name: 'draft_expectation',
  title: 'Propose an expectation',
  description: `Drafts an expectation, or a change of one: what has to come at least every so often. It replaces all fields of an expectation of the same name. ${CONFIRMED}`,
  input: ExpectationDraft.shape,
  ...PROPOSES,
  run: (context, asked) => propose(context, 'expectation', asked),
});
