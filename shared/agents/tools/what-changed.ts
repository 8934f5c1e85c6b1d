import { DAY } from '#shared/base/texts/durations.ts';
import { timeText } from '#shared/base/texts/instants.ts';
import { minus } from '#shared/base/time.ts';
import { invalidField } from '#shared/base/validation.ts';
import { type ExplainedChange, listChanges } from '#shared/environments/changes/list-changes.ts';
import type { Approval } from '#shared/environments/rules/changes/approvals.ts';
import { quote } from '../rules/quote.ts';
import { stateWord } from '../rules/words.ts';
import { tool } from '../tool.ts';
import { environmentCitations, environmentName, instant, microsOf } from './fields.ts';

/** Changes that are read for one answer. */
const MOST_CHANGES = 30;
const WORDS = {
  replaced: 'was replaced',
  started: 'started',
  stopped: 'stopped',
  judged: 'has another verdict',
  scaled: 'has other instances',
} as const;

/** Says what changed in an environment between two instants, and who allowed it (rules/agents.md#tools). */
export const whatChanged = tool({
  name: 'what_changed',
  title: 'What changed in an environment, and who allowed it?',
  description:
    'Compares what ran in an environment at two instants: what was replaced, started and stopped, by which trail, and who approved it. What is not compliant comes first. Without `from`: the last 24 hours.',
  input: { environment: environmentName, from: instant, until: instant },
  access: 'reader',
  run: async ({ services, org, host, now }, { environment, from, until }) => {
    const to = microsOf(until) ?? now;
    const period = { from: microsOf(from) ?? minus(to, DAY), to };
    if (period.from >= period.to) throw invalidField('from', 'Input should be before `until`', from);
    const found = await listChanges(services, org, environment, { period, page: 1, perPage: MOST_CHANGES });
    const total = Object.values(found.totals).reduce((sum, count) => sum + count, 0);
    const state = found.after ? stateWord(found.after.state) : 'without a snapshot';
    return {
      verdict: `${total} changes in ${quote(environment)} from ${timeText(period.from)} to ${timeText(period.to)}. At the end it is ${state}.`,
      facts: {
        environment: quote(environment),
        from_snapshot: found.before?.index ?? null,
        to_snapshot: found.after?.index ?? null,
        last_compliant: found.lastCompliant === null ? null : timeText(found.lastCompliant),
        totals: found.totals,
      },
      rows: found.changes.map(changeRow),
      more: total - found.changes.length,
      ask: 'Ask what_changed again for a shorter time.',
      citations: environmentCitations({ host, org }, environment),
    };
  },
});

function changeRow({ kind, before, after, moment, approvals, codeDiff }: ExplainedChange) {
  const row = after ?? before;
  const name = quote(row?.name ?? '');
  const [primary] = row?.flows ?? [];
  const by = approvals.filter(({ compliant }) => compliant).map(approvalText);
  const allowed = by.length === 0 ? 'nobody is known to have allowed it' : `allowed by ${by.join(', ')}`;
  const when = moment === null ? '' : ` at ${timeText(moment.at)}`;
  return {
    sentence: `${name} ${WORDS[kind]}${when}, ${stateWord(row?.compliant ?? null)}; ${allowed}`,
    facts: {
      change: kind,
      artifact: name,
      fingerprint: row?.fingerprint ?? null,
      at: moment === null ? null : timeText(moment.at),
      snapshot: moment?.index ?? null,
      compliant: row?.compliant ?? null,
      flow: primary ? quote(primary.name) : null,
      trail: primary ? quote(primary.trailName) : null,
      allowed_by: by,
      code_difference: codeDiff === null ? null : quote(codeDiff, 400),
    },
  };
}

function approvalText({ kind, by, control, signer }: Approval): string {
  const who = signer === null ? quote(by) : `${quote(by)}, signed by ${quote(signer)}`;
  switch (kind) {
    case 'pull_request':
      return `the review of ${who}`;
    case 'decision':
      return `the decision of ${who}${control === null ? '' : ` on ${quote(control)}`}`;
    case 'override':
      return `the override of ${who}`;
    case 'allow_list':
      return `the allow-list, by ${who}`;
  }
}
