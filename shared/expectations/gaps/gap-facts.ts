import { secondsOf, secondsOrNull, toSeconds } from '#shared/base/time.ts';
import type { AuditFacts } from '#shared/organizations/records/audit.ts';
import { type Gap, shownState } from '../rules/gaps/gap.ts';
import { lengthOf } from '../rules/gaps/unknown-time.ts';

/** What a gap says, for the audit log. */
export const gapFacts = (gap: Gap): AuditFacts => ({
  expectation: gap.expectation.name,
  version: gap.expectation.version,
  kind: gap.kind,
  severity: gap.severity,
  owner: gap.owner,
  subject: gap.subject,
  state: shownState(gap),
  from: toSeconds(gap.from),
  until: secondsOrNull(gap.until),
  ended: gap.ended,
  unknown_seconds: secondsOf(lengthOf(gap.unknown)),
  explanation: gap.explanation?.text ?? null,
});
