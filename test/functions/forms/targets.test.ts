import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { MOST_TARGETS, TargetsIn } from '#functions/forms/target-request.ts';
import { checkTargets, type ReadTargets, readTargets, TargetOut, targetOut } from '#functions/forms/targets.ts';
import { ServiceError } from '#shared/base/errors.ts';
import { micros } from '#shared/base/time.ts';
import { Target } from '#shared/notifications/rules/records.ts';
import { mintSecret, SECRET_FORM } from '#shared/notifications/rules/signature.ts';
import { addressGuard } from '#shared/outgoing/address-guard.ts';
import { parseOrRefuse } from '#test/support/parse-or-refuse.ts';

const Body = z.object({ targets: TargetsIn });
const HOOK = 'https://hooks.example.com/a?b=c';

/** Reads targets as an endpoint does: shape first, then addresses. */
const read = (targets: unknown, allowedNetworks: string[] = []): ReadTargets =>
  readTargets(parseOrRefuse(Body, { targets }, { whole: 'payload' }).targets, addressGuard(allowedNetworks));

function errorsOf(targets: unknown, allowedNetworks?: string[]): Record<string, string> | undefined {
  try {
    read(targets, allowedNetworks);
  } catch (error) {
    if (error instanceof ServiceError && error.kind === 'invalid') return { ...error.errors };
    throw error;
  }
  return undefined;
}

const stored = (target: unknown) => {
  const [first] = read([target]).targets;
  if (!first) throw new Error('nothing was read');
  expect(Target.parse(JSON.parse(JSON.stringify(first)))).toEqual(first);
  const { key, ...rest } = first;
  expect(key).toMatch(/^[0-9a-f]{32}$/);
  return rest;
};

describe('the targets of a request', () => {
  test('may be chat targets, under either type name, with or without context', () => {
    expect(stored({ type: 'CHAT', webhook: HOOK })).toEqual({ type: 'CHAT', webhook: HOOK });
    const context = { channel_id: 'C1', channel_name: 'builds', team_id: 'T1' };
    expect(stored({ type: 'SLACK', webhook: HOOK, context, last_success_at: 1, last_failure_at: 'x' })).toEqual({
      type: 'CHAT',
      webhook: HOOK,
      context,
    });
  });

  test('may be webhooks with the one payload version', () => {
    const expected = { type: 'WEBHOOK', webhook: HOOK, payloadVersion: '1.0' };
    expect(stored({ type: 'WEBHOOK', webhook: HOOK })).toEqual(expected);
    expect(stored({ type: 'WEBHOOK', webhook: HOOK, payload_version: '1.0' })).toEqual(expected);
    expect(errorsOf([{ type: 'WEBHOOK', webhook: HOOK, payload_version: '2.0' }])).toEqual({
      'targets[0].payload_version': "Input should be '1.0' [input: 2.0]",
    });
  });

  test('may be mail, with recipients as a list or separated by commas, under either field name', () => {
    const expected = { type: 'EMAIL', emails: ['ada@example.com', 'bob+x@mail.example.org'] };
    expect(stored({ type: 'EMAIL', emails: expected.emails })).toEqual(expected);
    expect(stored({ type: 'EMAIL', emails: 'ada@example.com, bob+x@mail.example.org' })).toEqual(expected);
    expect(stored({ type: 'EMAIL', email: 'ada@example.com,bob+x@mail.example.org,ada@example.com' })).toEqual(
      expected,
    );
  });

  test('may have all fields except the type in config', () => {
    const flat = stored({ type: 'WEBHOOK', webhook: HOOK });
    expect(stored({ type: 'WEBHOOK', config: { webhook: HOOK } })).toEqual(flat);
    expect(stored({ type: 'WEBHOOK', webhook: null, last_success_at: 5, config: { webhook: HOOK } })).toEqual(flat);
    expect(stored({ type: 'EMAIL', config: { email: 'ada@example.com', type: 'CHAT' } })).toMatchObject({
      type: 'EMAIL',
    });
    expect(errorsOf([{ type: 'CHAT', webhook: HOOK, config: 'x' }])).toEqual({
      'targets[0].config': 'Input should be a valid dictionary [input: hidden]',
    });
  });

  test('keep their key while type and address stay, and get another key when one changes', () => {
    const key = (target: unknown) => read([target]).targets[0]?.key;
    const hook = { type: 'WEBHOOK', webhook: HOOK };
    expect(key({ ...hook, secret: mintSecret() })).toBe(key({ ...hook, payload_version: '1.0' }));
    expect(key({ ...hook, webhook: `${HOOK}d` })).not.toBe(key(hook));
    expect(key({ type: 'CHAT', webhook: HOOK })).not.toBe(key(hook));
    const mail = (emails: string) => key({ type: 'EMAIL', emails });
    expect(mail('a@example.com,b@example.com')).toBe(mail('b@example.com,a@example.com'));
  });
});

describe('readTargets refuses', () => {
  test.each([
    ['none at all', [], 'targets'],
    [
      'too many',
      Array.from({ length: MOST_TARGETS + 1 }, (_, n) => ({ type: 'CHAT', webhook: `${HOOK}${n}` })),
      'targets',
    ],
    ['no list', 'x', 'targets'],
    ['no dictionary', ['x'], 'targets[0]'],
    ['without a type', [{ webhook: HOOK }], 'targets[0].type'],
    ['of an unknown type', [{ type: 'PIGEON', webhook: HOOK }], 'targets[0].type'],
    ['without an address', [{ type: 'WEBHOOK' }], 'targets[0].webhook'],
    ['an address beside config', [{ type: 'WEBHOOK', webhook: HOOK, config: {} }], 'targets[0].webhook'],
    ['a secret beside config', [{ type: 'WEBHOOK', secret: 'hush', config: { webhook: HOOK } }], 'targets[0].secret'],
    ['with its type in config', [{ config: { type: 'WEBHOOK', webhook: HOOK } }], 'targets[0].type'],
    ['with a wrong second list', [{ type: 'EMAIL', emails: ['a@example.com'], email: 'x' }], 'targets[0].email'],
    ['chat without an address', [{ type: 'CHAT', config: {} }], 'targets[0].webhook'],
    ['mail without recipients', [{ type: 'EMAIL' }], 'targets[0].emails'],
    ['mail with an empty list', [{ type: 'EMAIL', emails: [] }], 'targets[0].emails'],
    [
      'mail to too many',
      [{ type: 'EMAIL', emails: Array.from({ length: 51 }, (_, n) => `a${n}@example.com`) }],
      'targets[0].emails',
    ],
    [
      'a second one wrong',
      [
        { type: 'CHAT', webhook: HOOK },
        { type: 'CHAT', webhook: 'x' },
      ],
      'targets[1].webhook',
    ],
    [
      'the same twice',
      [
        { type: 'CHAT', webhook: HOOK },
        { type: 'SLACK', webhook: HOOK },
      ],
      'targets[1]',
    ],
  ])('readTargets refuses targets: %s', (_, targets, field) => {
    expect(Object.keys(errorsOf(targets) ?? {})).toEqual([field]);
  });

  test.each([
    ['', 'Input should be a valid URL'],
    ['hooks.example.com/x', 'Input should be a valid URL'],
    ['https://', 'Input should be a valid URL'],
    ['https:hooks.example.com', 'Input should be a valid URL'],
    ['https:///hooks.example.com', 'Input should be a valid URL'],
    ['https:\\\\hooks.example.com', 'Input should be a valid URL'],
    ['https://hooks.example.com\\@10.0.0.1/', 'Input should be a valid URL'],
    ['https://hooks.example.com:99999/', 'Input should be a valid URL'],
    [' https://hooks.example.com', 'Input should be a valid URL'],
    ['https://hooks.example.com/\r\nX-Header: y', 'Input should be a valid URL'],
    ['https://hooks.exam\tple.com/', 'Input should be a valid URL'],
    [`https://hooks.example.com/${'a'.repeat(10_240)}`, 'URL should have at most 2048 characters'],
    ['http://hooks.example.com/', "URL scheme should be 'https'"],
    ['file:///etc/passwd', "URL scheme should be 'https'"],
    ['ftp://hooks.example.com/', "URL scheme should be 'https'"],
    ['javascript:alert(1)', "URL scheme should be 'https'"],
    ['https://user:word@hooks.example.com/', 'URL should not contain credentials'],
    ['https://@hooks.example.com/', 'URL should not contain credentials'],
    ['https://hooks.example.com@10.0.0.1/', 'URL should not contain credentials'],
    ['https://10.1.2.3/', 'URL should not lead to a private, local or reserved address'],
    ['https://0x7f.1/', 'URL should not lead to a private, local or reserved address'],
    ['https://localhost/', 'URL should not lead to a private, local or reserved address'],
    ['https://[::ffff:169.254.169.254]/', 'URL should not lead to a private, local or reserved address'],
  ])('the address %j', (webhook, text) => {
    const error = errorsOf([{ type: 'WEBHOOK', webhook }])?.['targets[0].webhook'];
    expect(error).toBe(`${text} [input: hidden]`);
  });

  test('plain http and loopback, unless the deployment allows networks', () => {
    const local = [{ type: 'WEBHOOK', webhook: 'http://127.0.0.1:8080/hook' }];
    expect(errorsOf(local, ['127.0.0.0/8'])).toBeUndefined();
    expect(errorsOf([{ type: 'WEBHOOK', webhook: 'http://localhost:8080/' }], ['127.0.0.0/8'])).toBeUndefined();
    expect(errorsOf([{ type: 'WEBHOOK', webhook: 'http://10.0.0.1/' }], ['127.0.0.0/8'])).toHaveProperty([
      'targets[0].webhook',
    ]);
    expect(errorsOf(local)).toHaveProperty(['targets[0].webhook']);
  });

  test.each([
    'ada',
    'ada@localhost',
    'ada@example.com\r\nBcc: everybody@example.com',
    'ada@example.com\n',
    'Ada <ada@example.com>',
    'ada@exa mple.com',
    'ada@@example.com',
    '"ada"@example.com',
    `${'a'.repeat(65)}@example.com`,
    `ada@${'a.'.repeat(126)}example.com`,
    '',
  ])('the recipient %j', (email) => {
    const asList = errorsOf([{ type: 'EMAIL', emails: ['bob@example.com', email] }]);
    expect(asList?.['targets[0].emails[1]']).toMatch(/^Input should be a valid e-mail address/);
    expect(errorsOf([{ type: 'EMAIL', email: `bob@example.com,${email}` }])).toHaveProperty(['targets[0].email']);
  });
});

test.each([undefined, 'webhook', 'PIGEON'])('the type %s is refused with the three types', (type) => {
  const target = { webhook: HOOK, secret: 'hush' };
  const text = `Input should be 'CHAT', 'WEBHOOK' or 'EMAIL' [input: ${type ?? 'None'}]`;
  expect(errorsOf([{ ...target, type }])).toEqual({ 'targets[0].type': text });
  expect(errorsOf([{ type, config: target }])).toEqual({ 'targets[0].type': text });
});

test.each<[string, unknown]>([
  ['a secret that is no text', [{ type: 'WEBHOOK', webhook: HOOK, secret: ['hush'] }]],
  ['a secret of another form', [{ type: 'WEBHOOK', webhook: HOOK, secret: 'hush' }]],
  ['an address with a password', [{ type: 'WEBHOOK', webhook: 'https://user:hush@hooks.example.com/' }]],
  ['an address with a token', [{ type: 'CHAT', webhook: 'http://chat.example.com/hush' }]],
  ['an address that is no text', [{ type: 'CHAT', webhook: { url: 'hush' } }]],
  ['a config that is no dictionary', [{ type: 'WEBHOOK', config: ['hush'] }]],
  ['a context that is no dictionary', [{ type: 'CHAT', webhook: HOOK, context: [{ secret: 'hush' }] }]],
  ['an unknown type', [{ type: { secret: 'hush' }, webhook: 'https://hush.example.com', secret: 'hush' }]],
  ['a target that is a text', ['{"type":"WEBHOOK","secret":"hush"}']],
  ['targets that are no list', { type: 'WEBHOOK', secret: 'hush' }],
])('%s is refused without being shown', (_, targets) => {
  const errors = errorsOf(targets);
  expect(Object.keys(errors ?? {})[0]).toMatch(/^targets/);
  expect(JSON.stringify(errors)).not.toContain('hush');
});

describe('the targets of an invalid body', () => {
  const check = (sent: unknown) => checkTargets(sent, addressGuard([]));

  test('are checked as far as their shape is valid', () => {
    const targets = [{ type: 'PIGEON' }, { type: 'CHAT', webhook: 'x' }, null, { type: 'EMAIL', emails: ['ada'] }];
    expect(() => check({ name: 7, targets })).toThrow(
      expect.objectContaining({
        errors: { 'targets[1].webhook': expect.any(String), 'targets[3].emails[0]': expect.any(String) },
      }),
    );
  });

  test.each([undefined, null, 'x', [], {}, { targets: 'x' }])('%j has none', (sent) => {
    expect(() => check(sent)).not.toThrow();
  });
});

describe('the secret of an action', () => {
  const hook = (n: number, secret?: string | null) => ({ type: 'WEBHOOK', webhook: `${HOOK}${n}`, secret });

  test('may come with any of its webhook targets', () => {
    const secret = mintSecret();
    expect(read([hook(1), hook(2, secret), hook(3, null), hook(4, secret)]).secret).toBe(secret);
    expect(read([hook(1), { type: 'CHAT', webhook: HOOK, secret }]).secret).toBeUndefined();
    expect(JSON.stringify(read([hook(1, secret)]).targets)).not.toContain(secret);
  });

  test('is one: two different secrets are refused', () => {
    expect(errorsOf([hook(1, mintSecret()), hook(2, mintSecret())])).toEqual({
      'targets[1].secret': 'All webhook targets of an action share one secret',
    });
  });

  test('is refused if it is malformed, with an error that does not contain the secret', () => {
    expect(errorsOf([hook(1, 'whsec_hunter2')])).toEqual({ 'targets[0].secret': SECRET_FORM });
  });
});

describe('the targets of an answer', () => {
  const health = { lastSuccess: micros(1_500_000), lastFailure: micros(2_000_000), disabled: true };

  test('have the stored fields, and zeros before the first attempt', () => {
    const targets = [
      { type: 'CHAT', webhook: HOOK, context: { channel_id: 'C1' } },
      { type: 'WEBHOOK', webhook: HOOK, secret: mintSecret() },
      { type: 'EMAIL', emails: ['ada@example.com'] },
    ];
    const never = { last_success_at: 0, last_failure_at: 0 };
    expect(read(targets).targets.map((target) => TargetOut.parse(targetOut(target, undefined, 'member')))).toEqual([
      { type: 'CHAT', webhook: HOOK, context: { channel_id: 'C1' }, ...never },
      { type: 'WEBHOOK', webhook: HOOK, payload_version: '1.0', ...never },
      { type: 'EMAIL', emails: ['ada@example.com'], ...never },
    ]);
  });

  test('show their health in seconds, and whether they are disabled', () => {
    const [target] = read([{ type: 'CHAT', webhook: HOOK }]).targets;
    expect(target && TargetOut.parse(targetOut(target, health, 'member'))).toEqual({
      type: 'CHAT',
      webhook: HOOK,
      context: {},
      last_success_at: 1.5,
      last_failure_at: 2,
      disabled: true,
    });
  });
});

test('the schemas can be written as an OpenAPI document', () => {
  const request = z.toJSONSchema(Body, { io: 'input' });
  expect(JSON.stringify(request)).toContain('payload_version');
  expect(JSON.stringify(z.toJSONSchema(TargetOut))).toContain('last_success_at');
});
