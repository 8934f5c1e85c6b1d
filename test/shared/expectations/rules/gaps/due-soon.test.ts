import { describe, expect, it, test } from 'vitest';
import { FlowId } from '#shared/base/ids.ts';
import { storedName } from '#shared/base/names.ts';
import { type Duration, micros, plus } from '#shared/base/time.ts';
import { type DueSoon, dueSoonNotice, isSoonSince, soonOf } from '#shared/expectations/rules/gaps/due-soon.ts';
import type { GapSubject } from '#shared/expectations/rules/gaps/gap.ts';
import { planGaps } from '#shared/expectations/rules/gaps/plan.ts';
import { chatText, mailOf, webhookPayload } from '#shared/notifications/rules/payload.ts';
import { Notice } from '#shared/notifications/rules/records.ts';

const MINUTE: Duration = 60_000_000;
const HOST = 'https://evidence.example.com';
const START = micros(1_800_000_000_000_000);
const at = (minutes: number) => plus(START, minutes * MINUTE);

/** Due 22 minutes after an arrival, soon from 17 minutes on. */
const TERMS = {
  every: 20 * MINUTE,
  grace: 2 * MINUTE,
  dueSoon: 5 * MINUTE,
  version: 1,
  changedAt: at(0),
  startsAt: at(0),
};
const { dueSoon: _, ...SILENT } = TERMS;

describe('soonOf', () => {
  it('is `due_soon` before the due time', () => {
    expect(soonOf(TERMS, at(10))).toEqual({ at: at(27), due: at(32) });
  });

  it('is not before the version that asks for it, and never without it', () => {
    expect(soonOf({ ...TERMS, changedAt: at(30) }, at(10))).toEqual({ at: at(30), due: at(32) });
    expect(soonOf(SILENT, at(10))).toBeNull();
  });
});

describe('isSoonSince', () => {
  const soon = { at: at(27), due: at(32) };

  it.each<[string, number, number | null, boolean]>([
    ['before it is soon', 26, 25, false],
    ['with the first look after it', 28, 26, true],
    ['if nobody ever looked', 28, null, true],
    ['once more with the next look, because two looks overlap', 29, 28, true],
    ['with none after that', 31, 30, false],
    ['at the last instant', 32, 26, true],
    ['after it is missed', 33, 26, false],
  ])('says so %s', (_name, now, lookedAt, isSoon) => {
    expect(isSoonSince(soon, { now: at(now), lookedAt: lookedAt === null ? null : at(lookedAt) })).toBe(isSoon);
  });
});

describe('a look', () => {
  const plan = (now: number, lookedAt: number, terms: object = TERMS, arrivals = [at(10)]) =>
    planGaps({ ...SILENT, ...terms }, { created: at(0), arrivals }, undefined, {
      now: at(now),
      lookedAt: at(lookedAt),
      unknown: [],
    });

  it('comes again when the subject is due soon, and then when it is due', () => {
    expect(plan(20, 19)).toEqual({ steps: [], again: at(27) });
    expect(plan(27, 20)).toEqual({ steps: [], soon: { at: at(27), due: at(32) }, again: at(32) });
    expect(plan(20, 19, SILENT)).toEqual({ steps: [], again: at(32) });
  });

  it('that comes too late finds the gap instead', () => {
    const late = plan(33, 20);
    expect([late.steps.map(({ step }) => step), late.soon]).toEqual([['open'], undefined]);
  });

  it('that sees a new arrival says nothing', () => {
    expect(plan(28, 20, TERMS, [at(28), at(10)])).toEqual({ steps: [], again: at(45) });
  });
});

describe('the message that something is due soon', () => {
  const expectation = {
    id: 'expectation',
    name: 'pentest',
    kind: 'evidence',
    severity: 'critical',
    owner: 'team-web',
    scope: { tags: [] },
  } satisfies DueSoon['expectation'];
  const subject: GapSubject = { type: 'flow', id: FlowId.parse('flow'), name: storedName('web') };
  const soon = { at: at(27), due: at(32) };
  const notice = dueSoonNotice({ expectation, subject, soon }, 'acme');

  test('a webhook gets expectation, owner, subject and the due time', () => {
    expect(JSON.parse(webhookPayload(notice, HOST))).toEqual({
      version: '1.0',
      timestamp: '1800001620',
      org: 'acme',
      flow: 'web',
      event_type: 'EXPECTATION_DUE_SOON',
      description:
        "Expectation 'pentest' is due soon in flow 'web': with no evidence until 2027-01-15T08:32:00Z it is missed",
      html_url: `${HOST}/acme/expectations/pentest`,
      api_url: `${HOST}/api/v2/expectations/acme/pentest`,
      due_soon: {
        ...{ expectation: 'pentest', kind: 'evidence', severity: 'critical', owner: 'team-web' },
        subject: { type: 'flow', flow: 'web' },
        due_at: 1_800_001_920,
      },
    });
  });

  test('chat and mail say it without a mark, and lead to the expectation', () => {
    expect(chatText(notice, HOST)).toMatch(/^\*Expectation 'pentest' is due soon/);
    expect(chatText(notice, HOST)).toContain(
      `<${HOST}/acme/expectations/pentest|web> · severity critical · owner team-web · acme`,
    );
    const scope = dueSoonNotice({ expectation, subject: { type: 'scope' }, soon }, 'acme');
    expect(chatText(scope, HOST)).toContain(`|pentest> ·`);
    expect(mailOf(scope, HOST).text).toContain('in its whole scope');
  });

  test('its id is that of expectation, subject and due time', () => {
    const again = dueSoonNotice({ expectation: { ...expectation, owner: null }, subject, soon }, 'acme');
    expect(again.event).toBe(notice.event);
    const other = dueSoonNotice({ expectation, subject, soon: { ...soon, due: at(33) } }, 'acme');
    expect(other.event).not.toBe(notice.event);
    expect(again.expected).not.toHaveProperty('owner');
  });

  test('a stored notice keeps everything', () => {
    expect(Notice.parse(JSON.parse(JSON.stringify(notice)))).toEqual(notice);
  });
});
