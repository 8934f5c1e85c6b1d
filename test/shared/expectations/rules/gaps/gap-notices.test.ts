import { describe, expect, it, test } from 'vitest';
import { EnvironmentId, FlowId, StoredFingerprint, TrailId } from '#shared/base/ids.ts';
import { type EnvironmentName, type FlowName, storedName, type TrailName } from '#shared/base/names.ts';
import { type Duration, micros, plus } from '#shared/base/time.ts';
import { type Gap, gapId } from '#shared/expectations/rules/gaps/gap.ts';
import { gapEvents, gapNotice, placeOfSubject } from '#shared/expectations/rules/gaps/gap-notices.ts';
import { chatText, mailOf, webhookPayload } from '#shared/notifications/rules/payload.ts';
import { Notice } from '#shared/notifications/rules/records.ts';

const MINUTE: Duration = 60_000_000;
const HOST = 'https://evidence.example.com';
const from = micros(1_800_000_000_000_000);
const detectedAt = plus(from, 3 * MINUTE);
const until = plus(from, 90 * MINUTE);
const subject: Gap['subject'] = {
  type: 'environment',
  id: EnvironmentId.parse('environment'),
  name: storedName('prod'),
};

const FLOW = { type: 'flow', id: FlowId.parse('f'), name: storedName<FlowName>('web') } as const;

const OPEN: Gap = {
  v: 1,
  id: gapId('expectation', subject, from),
  rev: 1,
  expectation: { id: 'expectation', name: 'alive', version: 2 },
  kind: 'reports',
  severity: 'critical',
  owner: 'team-web',
  subject,
  every: 20 * MINUTE,
  grace: 2 * MINUTE,
  since: plus(from, -20 * MINUTE),
  state: 'open',
  from,
  detectedAt,
  changedAt: detectedAt,
  until: null,
  ended: null,
  lastBefore: null,
  firstAfter: null,
  unknown: [],
  explanation: null,
};
const CLOSED: Gap = { ...OPEN, rev: 2, state: 'closed', changedAt: until, until, ended: 'arrived' };

const fired = (gap: Gap) => gapEvents(gap).map(({ trigger, at }) => [trigger, at]);
const notices = (gap: Gap) => gapEvents(gap).map((event) => gapNotice(gap, event, 'acme'));
const MISSED = ['ON_EXPECTATION_MISSED', detectedAt];

describe('the events of a gap', () => {
  it.each<[string, Gap, unknown[]]>([
    ['open: it was missed', OPEN, [MISSED]],
    ['excused while it lasts: the same event', { ...OPEN, explanation: { text: 'x', by: 'ann', at: until } }, [MISSED]],
    ['ended by an arrival: two', CLOSED, [MISSED, ['ON_EXPECTATION_MET_AGAIN', until]]],
    ['ended with its version: nothing came', { ...CLOSED, ended: 'changed' }, [MISSED]],
    ['ended with its environment: nothing came', { ...CLOSED, ended: 'archived' }, [MISSED]],
    ['unknown: none', { ...OPEN, state: 'unknown' }, []],
    ['unknown until its end: none', { ...CLOSED, state: 'unknown' }, []],
    [
      'seen late: it was missed, and came at once',
      { ...CLOSED, state: 'unknown', wasOpen: true, until: from },
      [MISSED, ['ON_EXPECTATION_MET_AGAIN', detectedAt]],
    ],
    ['about a flow: the same', { ...OPEN, subject: FLOW }, [MISSED]],
    ['about a whole scope: the same', { ...OPEN, subject: { type: 'scope' } }, [MISSED]],
  ])('%s', (_, gap, events) => {
    expect(fired(gap)).toEqual(events);
  });

  it('tell the end not before the beginning, if the gap was found after its end', () => {
    const late = plus(until, MINUTE);
    expect(fired({ ...CLOSED, detectedAt: late }).map(([, at]) => at)).toEqual([late, late]);
  });

  it('keep their ids whatever happens to the gap later, and differ from each other', () => {
    const [open] = notices(OPEN);
    const [missed, met] = notices(CLOSED);
    const excused = notices({ ...CLOSED, rev: 3, explanation: { text: 'x', by: 'ann', at: plus(until, 1) } });
    expect(missed).toEqual(open);
    expect(excused).toEqual([missed, met]);
    expect(met?.event).not.toBe(missed?.event);
    expect(new Set(notices({ ...CLOSED, id: gapId('other', subject, from) }).map(({ event }) => event))).not.toContain(
      missed?.event,
    );
  });
});

describe('the messages about a gap', () => {
  const [missed, met] = notices(CLOSED);
  if (!missed || !met) throw new Error('A closed gap has two notices');

  test('a webhook gets expectation, owner, severity, subject, interval and the page of the gap', () => {
    const links = { html_url: `${HOST}/acme/gaps/${OPEN.id}`, api_url: `${HOST}/api/v2/gaps/acme/${OPEN.id}` };
    const gap = {
      ...{ id: OPEN.id, expectation: 'alive', kind: 'reports', severity: 'critical', owner: 'team-web' },
      subject: { type: 'environment', environment: 'prod' },
      from: 1_800_000_000,
    };
    const common = { version: '1.0', org: 'acme', environment: 'prod', ...links };
    expect(JSON.parse(webhookPayload(missed, HOST))).toEqual({
      ...common,
      timestamp: '1800000180',
      event_type: 'EXPECTATION_MISSED',
      description: "Expectation 'alive' is missed in environment 'prod': no report for more than PT20M",
      gap,
    });
    expect(JSON.parse(webhookPayload(met, HOST))).toEqual({
      ...common,
      timestamp: '1800005400',
      event_type: 'EXPECTATION_MET_AGAIN',
      description: "Expectation 'alive' is met again in environment 'prod', after a gap of PT1H30M",
      gap: { ...gap, until: 1_800_005_400 },
    });
  });

  test('chat and mail say it in a line, with severity and owner, and lead to the gap', () => {
    expect(chatText(missed, HOST)).toBe(
      [
        "❌ *Expectation 'alive' is missed in environment 'prod': no report for more than PT20M*",
        `<${HOST}/acme/gaps/${OPEN.id}|prod> · severity critical · owner team-web · acme`,
      ].join('\n'),
    );
    expect(chatText(met, HOST)).toMatch(/^✅ \*Expectation 'alive' is met again/);
    const mail = mailOf(missed, HOST);
    expect(mail.subject).toBe(
      "[acme] Expectation 'alive' is missed in environment 'prod': no report for more than PT20M (prod)",
    );
    expect(mail.text).toContain(`severity critical · owner team-web · acme\n\n${HOST}/acme/gaps/${OPEN.id}\n`);
  });

  test('no owner is named if there is none, and nobody can write to chats through an owner', () => {
    const chat = (owner: string | null) => chatText(notices({ ...OPEN, owner })[0] ?? missed, HOST);
    expect(chat(null)).not.toContain('owner');
    expect(chat('<!channel>')).toContain('owner &lt;!channel&gt;');
  });

  test('a stored notice keeps everything', () => {
    expect(Notice.parse(JSON.parse(JSON.stringify(met)))).toEqual(met);
  });
});

describe('the place of a subject', () => {
  const trail = {
    type: 'trail',
    flow: FLOW,
    id: TrailId.parse('t'),
    name: storedName<TrailName>('release-42'),
  } as const;
  const artifact = {
    type: 'artifact',
    environment: { id: EnvironmentId.parse('environment'), name: storedName<EnvironmentName>('prod') },
    fingerprint: StoredFingerprint.parse('a'.repeat(64)),
    name: 'web',
  } as const;
  const scope = { type: 'scope' } as const;

  it.each<[string, Gap['subject'], ReturnType<typeof placeOfSubject>]>([
    ['an environment', subject, { environment: EnvironmentId.parse('environment') }],
    ['an artifact, its environment', artifact, { environment: artifact.environment.id }],
    ['a flow', FLOW, { flows: [FLOW.id] }],
    ['a trail, its flow', trail, { flows: [FLOW.id] }],
    ['a whole scope without its version, no flow that is named', scope, { flows: [] }],
  ])('is %s', (_, of, place) => {
    expect(placeOfSubject(of, undefined)).toEqual(place);
  });

  it('is the flows that the version names for a whole scope, and none for tags, which change', () => {
    expect(placeOfSubject(scope, { flows: [FLOW] })).toEqual({ flows: [FLOW.id] });
    expect(placeOfSubject(scope, { tags: [{ name: 'tier', value: '1' }] })).toEqual({ flows: [] });
  });

  it.each<[string, Gap['subject'], string, object]>([
    ['flow', FLOW, "flow 'web'", { flow: 'web' }],
    ['trail', trail, "trail 'release-42' of flow 'web'", { flow: 'web', trail: 'release-42' }],
    ['whole scope', scope, 'its whole scope', {}],
  ])('a message about a %s says where, and has its names', (_, of, where, names) => {
    const [missed] = notices({ ...OPEN, kind: 'activity', subject: of });
    if (!missed) throw new Error('An open gap has a notice');
    const { environment, flow, trail: named, description, gap } = JSON.parse(webhookPayload(missed, HOST));
    expect(description).toBe(`Expectation 'alive' is missed in ${where}: no trail for more than PT20M`);
    expect({ environment, flow, trail: named }).toEqual({ ...names });
    expect(gap.subject.type).toBe(of.type);
    expect(chatText(missed, HOST)).toContain(`<${HOST}/acme/gaps/${OPEN.id}|`);
  });
});
