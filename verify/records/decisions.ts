/**
 * How the verifier proves a kind of lines: by the entry of the record itself, by a cover of the audit log, or by computing it
 * again from what is proved.
 */
type Decision = { by: 'entry' | 'cover' | 'computed' } | { note: string };

/**
 * What was decided about each kind of lines of an export (rules/verification.md#scope). The notes are printed beside the
 * counts: what is compared of lines that are not covered as a whole, or why they are not covered.
 */
export const DECISIONS: Readonly<Record<string, Decision>> = {
  'audit/audit': { by: 'entry' },
  'moments/moment': { by: 'entry' },
  'snapshots/snapshot': { by: 'entry' },
  'snapshots/content': { by: 'entry' },
  'attestations/attestation': { by: 'entry' },
  'attestations/bundle': { by: 'computed' },
  'artifacts/artifact': { by: 'entry' },
  'evaluations/evaluation': { by: 'entry' },
  'trails/fields': { by: 'entry' },

  'policies/policy': { by: 'cover' },
  'policies/version': { by: 'cover' },
  'controls/control': { by: 'cover' },
  'controls/version': { by: 'cover' },
  'controls/tags': { by: 'cover' },
  'custom-types/type': { by: 'cover' },
  'custom-types/version': { by: 'cover' },
  'flows/facts': { by: 'cover' },
  'flows/tags': { by: 'cover' },
  'environments/facts': { by: 'cover' },
  'environments/tags': { by: 'cover' },
  'allow-lists/allowed': { by: 'cover' },
  'members/member': { by: 'cover' },
  'service-accounts/service_account': { by: 'cover' },
  'trusts/trust': { by: 'cover' },
  'actions/action': { by: 'cover' },
  'expectations/expectation': { by: 'cover' },
  'expectations/version': { by: 'cover' },
  'gaps/gap': { by: 'cover' },
  'watches/watch': { by: 'cover' },
  'watches/match': { by: 'cover' },
  'presence/day': { by: 'cover' },
  'trust-roots/trust_root': { by: 'cover' },
  'trust-roots/version': { by: 'cover' },
  'signers/signer': { by: 'cover' },
  'signers/version': { by: 'cover' },
  'recalls/recall': { by: 'cover' },
  'recalls/version': { by: 'cover' },

  'policies/attached_to': { by: 'computed' },
  'environments/member_of': { by: 'computed' },
  'trails/trail': { by: 'computed' },
  'trails/commit': { by: 'computed' },
  'trails/repo': { by: 'computed' },
  'templates/template': { by: 'computed' },
  'builds/build': { by: 'computed' },
  'runtime-events/runtime_event': { by: 'computed' },
  'environment-events/environment_event': { by: 'computed' },
  'deployments/deployments': { by: 'computed' },
  'expansions/expansion': { by: 'computed' },

  'flows/flow': {
    note: 'proved, except flows that a report made and nobody changed: name and maker of these are not covered, and they have no template',
  },
  'environments/environment': {
    note: 'name, kind, maker, archiving, policies and members are proved, number, hash and state are those of the newest snapshot, and until when ages change nothing follows from the moments; marks and counters are not covered',
  },
  'statements/statement': {
    note: 'text, signature and key are proved; which record it is about is only in the signed text',
  },
  'environments/times': {
    note: 'the time of the newest snapshot is compared, and the last report with the presence of closed days; other reports that changed nothing have no entry',
  },
  'organization/organization': {
    note: 'features and sign-in rules change by audit entries that do not cover the record',
  },
  'service-account-keys/key': { note: 'keys that are exchanged for tokens, and times of use, have no audit entry' },
  'repos/repo': { note: 'reports name repositories; their tags have audit entries that do not cover them' },
  'target-health/target_health': { note: 'what targets answered has no entry' },
  'deliveries/delivery': { note: 'deliveries repeat events in the words of their time and have no entry' },
  'deliveries/attempt': { note: 'what targets answered has no entry' },

  // Files that are for readers of an export only. No verdict rests on them.
  'data/README.md': { note: 'describes the export' },
  'data/verify.mjs': { note: 'a program that comes with the evidence proves nothing' },
  'data/keys/policy': { note: 'names witnesses. Of a witness in the given policy, the key is compared' },
  'data/keys/statements.pem': { note: 'no key of statements was given to compare it with' },
  'data/bodies': { note: 'no line names these files: refused requests left them' },
  'data/files': { note: 'no line names these files: refused requests left them' },
};
