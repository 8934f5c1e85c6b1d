import { hash } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { groups } from '#functions/groups.ts';
import { runOperator } from '#functions/operator/run-operator.ts';
import { COVERED, type CoveredKind, type CoveredName, isCovered } from '#shared/base/proofs/covered-lines.ts';
import { parsePolicy } from '#shared/tlog/policy.ts';
import { testApi } from '#test/support/api.ts';
import { exporterOf, logEverything } from '#test/support/log/exports.ts';
import { readBag } from '#test/support/log/read-tar.ts';
import { fullOrganization } from '#test/support/records/full-organization.ts';
import { npm, reportSbom, sbomOf } from '#test/support/records/reported-sboms.ts';
import { relayOf } from '#test/support/relay.ts';
import { verifyFiles } from '#verify/export.ts';
import { Fault } from '#verify/fault.ts';
import { DECISIONS } from '#verify/records/decisions.ts';
import { asExport, seal } from './sample-export.ts';
import type { Files } from './sample-log.ts';

/** The records of administration in an export of the service: each change of one line is a fault that names the record. */

const api = await testApi(groups.filter(({ name }) => name !== 'meta' && name !== 'reference'));
const exporter = exporterOf(api.services);

let acme: Awaited<ReturnType<typeof fullOrganization>>;
let sample: Files;
beforeAll(async () => {
  acme = await fullOrganization(api);
  for (const path of ['control/SOX-1', 'environment/prod']) {
    const { status, text } = await acme.call('PATCH', `/tags/${acme.org}/${path}`, { json: { set_tags: { a: 'b' } } });
    expect(status, text).toBe(200);
  }
  // Its watch matches.
  await reportSbom(acme, sbomOf(npm('lodash', '4.17.20')));
  await relayOf(api.services, acme.id).settle();
  await logEverything(api.services, acme.id);
  sample = await exported(acme);
});

/** Exports the organization. @returns the files by their paths below the folder of the export */
async function exported(of: typeof acme): Promise<Files> {
  const { json } = await of.call('POST', `/exports/${of.org}`);
  const { id } = json as { id: string };
  await exporter.run({ org: of.id, id });
  const done = (await of.get(`/exports/${of.org}/${id}`)).json as { download_url: string };
  const { files } = await readBag(Buffer.from(await (await fetch(done.download_url)).arrayBuffer()));
  return files;
}

const verified = (files: Files) => {
  const key = String(files.get('data/keys/log.vkey')).trim();
  return verifyFiles(asExport(files), { policy: parsePolicy(`log ${key}\nquorum none\n`) });
};

type Line = Record<string, unknown>;
const linesOf = (files: Files, path: string): Line[] =>
  String(files.get(path))
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

/** Changes the lines of a family, and makes the manifests right again. */
function changed(family: string, change: (lines: Line[]) => Line[]): Files {
  const path = `data/records/${family}-0001.ndjson`;
  const lines = change(linesOf(sample, path));
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  const files = new Map(sample);
  if (lines.length === 0) files.delete(path);
  else files.set(path, Buffer.from(text));
  return seal(files);
}

async function faultOf(files: Files): Promise<string> {
  const outcome = await verified(files).catch((error: unknown) => error);
  if (!(outcome instanceof Fault)) throw new Error('No fault was found', { cause: outcome });
  return `${outcome.place}: ${outcome.message}`;
}

/** The covered kinds that the export has lines of. */
const kinds = async () => (await verified(sample)).scope.map(({ name }) => name).filter(isCovered);
const inPart = (name: CoveredName) => (COVERED[name] as CoveredKind).only !== undefined;
const isOf = (name: string) => (line: Line) => name.endsWith(`/${line['item']}`);
const familyOf = (name: string) => name.split('/')[0] ?? '';

/** Another value of the same kind. */
function other(value: unknown): unknown {
  if (typeof value === 'string') return `${value}x`;
  if (typeof value === 'number') return value + 1;
  if (typeof value === 'boolean') return !value;
  if (value === null) return 1;
  if (Array.isArray(value)) return [...value, 'x'];
  const [[name, part] = ['x', 0], ...rest] = Object.entries(value as Line);
  return Object.fromEntries([[name, other(part)], ...rest]);
}

describe('an export of a full organization', () => {
  it('proves every covered line', async () => {
    const covered = (await verified(sample)).scope.filter(({ name }) => isCovered(name));
    const unproved = covered.filter((row) => row.proved !== row.lines).map(({ name }) => name);
    // Of these, only the settings are covered.
    expect(unproved).toEqual(['environments/environment']);
    expect(covered.map(({ name }) => name)).toEqual(Object.keys(COVERED).toSorted());
  });

  it('has a decision for every kind of lines, and a note for those that are not covered', async () => {
    const { scope } = await verified(sample);
    expect(scope.filter(({ name }) => !DECISIONS[name]).map(({ name }) => name)).toEqual([]);
    for (const { name, note } of scope) {
      const decision = DECISIONS[name];
      if (decision && 'note' in decision) expect(note, name).toBeTruthy();
    }
  });

  it('is refused if a link of an environment was removed, added or repeated', async () => {
    const isLink = isOf('policies/attached_to');
    const links = (change: (link: Line) => Line[]) =>
      changed('policies', (lines) => lines.flatMap((line) => (isLink(line) ? change(line) : [line])));
    expect(await faultOf(links(() => []))).toContain('no line of policies/attached_to has the link');
    expect(await faultOf(links((link) => [link, link]))).toContain('or the line is there twice');
    expect(await faultOf(links((link) => [link, { ...link, environment: 'x' }]))).toContain(
      'environment x does not name',
    );
    expect(await faultOf(links((link) => [{ ...link, policy: 'x' }]))).toContain('does not name x');
  });

  it('is refused if a covered line was removed', async () => {
    for (const name of await kinds()) {
      const files = changed(familyOf(name), (lines) => lines.toSpliced(lines.findIndex(isOf(name)), 1));
      expect(await faultOf(files), name).toMatch(/no line has the record|another form|gap .* does not follow/);
    }
  });

  it('is refused if a covered line was added', async () => {
    for (const name of await kinds()) {
      const same = changed(familyOf(name), (lines) => [...lines, ...lines.filter(isOf(name)).slice(0, 1)]);
      expect(await faultOf(same), name).toContain(`an earlier line has the record ${name} `);
      const key = (COVERED[name].key as readonly string[])[0] ?? '';
      const fresh = (line: Line) => ({ ...line, [key]: other(line[key]), ...(name === 'flows/flow' && { rev: 2 }) });
      const more = changed(familyOf(name), (lines) => [...lines, ...lines.filter(isOf(name)).slice(0, 1).map(fresh)]);
      expect(await faultOf(more), name).toMatch(
        /no entry of the audit log (names the record|says so)|gap .* does not follow/,
      );
    }
  });

  it('is refused if any member of a covered line was changed, added or removed', async () => {
    let changes = 0;
    for (const name of await kinds()) {
      const line = linesOf(sample, `data/records/${familyOf(name)}-0001.ndjson`).find(isOf(name)) ?? {};
      const { only = Object.keys(line) }: CoveredKind = COVERED[name];
      const forged: [string, Line][] = only
        .filter((member) => member !== 'item' && member in line)
        .flatMap((member) => {
          const { [member]: value, ...rest } = line;
          return [
            [`${name} ${member} changed`, { ...line, [member]: other(value) }],
            [`${name} ${member} removed`, rest],
          ] as [string, Line][];
        });
      if (only.length === Object.keys(line).length) forged.push([`${name} member added`, { ...line, extra: 1 }]);
      for (const [what, one] of forged) {
        changes += 1;
        const files = changed(familyOf(name), (lines) => lines.with(lines.findIndex(isOf(name)), one));
        // Gaps are computed again first, from the versions of their expectations.
        expect(await faultOf(files), what).toMatch(
          new RegExp(`data/records/${familyOf(name)}-0001.ndjson: line|gap .* does not follow`),
        );
      }
    }
    expect(changes).toBeGreaterThan(100);
  });
});

describe('an export after many changes', () => {
  it('every covered line is proved, and what was removed is gone', async () => {
    const other = await fullOrganization(api);
    const send = async (method: string, path: string, json?: unknown) => {
      const answer = await other.call(method, path.replace('ORG', other.org), json === undefined ? {} : { json });
      expect([200, 201], `${method} ${path}: ${answer.text}`).toContain(answer.status);
    };
    // Too long for the item of its record even when compressed.
    const long = Array.from({ length: 200 }, (_, i) => hash('sha256', String(i), 'base64')).join('');
    await send('PUT', '/flows/ORG', { name: 'web', description: 'a person' });
    await send('PUT', '/flows/ORG/web/rename', { new_name: 'site' });
    await send('PATCH', '/tags/ORG/flow/site', { set_tags: { more: 'b' }, remove_tags: ['team'] });
    await other.begin({ name: 'run' }, { flow: 'automatic' });
    await send('PUT', '/flows/ORG', { name: 'automatic', description: long });
    await send('PUT', '/flows/ORG', { name: 'automatic', visibility: 'public' });
    await other.putPolicy('strict', '_schema: https://evidence.example/schemas/policy/environment/v1\nartifacts: {}\n');
    await send('PUT', '/controls/ORG/SOX-1', { name: 'Every review', description: long });
    await send('POST', '/controls/ORG/SOX-1/archive');
    await send('PUT', '/custom-attestation-types/ORG/coverage/archive');
    await other.allow('prod', 'unknown', { description: 'trusted more' });
    await other.putEnvironment('all', 'logical', { included_environments: ['prod'] });
    await other.putEnvironment('second');
    await send('PUT', '/environments/ORG/all/join', { physical_env_name: 'second' });
    await send('PUT', '/environments/ORG/prod/rename', { new_name: 'live' });
    await other.putEnvironment('live', 'server', { description: long });
    await send('PUT', '/environments/ORG/second/archive');
    await other.detach('live', 'strict');
    await send('PUT', '/actions/ORG/flows', {
      ...{ name: 'team', type: 'flow', flows: [], triggers: ['ON_STARTED_TRAIL'] },
      targets: [{ type: 'WEBHOOK', webhook: 'https://hooks.example.com/other-path' }],
    });
    await send('DELETE', '/actions/ORG/1');
    await send('PATCH', '/service-accounts/ORG/ci', { privilege: 'reader' });
    await send('DELETE', '/trusts/ORG/release');
    await send('DELETE', '/service-accounts/ORG/ci');
    await send('DELETE', `/organizations/ORG/members/${other.org}-reader`);
    api.services.clock.advance(120_000_000);
    const command = { command: 'erase-body', organization: other.org, reason: 'a person' };
    const { headers } = await other.get(`/trails/${other.org}/site/run/statement`);
    const statement = { kind: 'statement', id: headers['x-statement-id'] };
    for (const fields of [{ kind: 'flow', flow: 'site' }, statement]) {
      expect(await runOperator(api.services, { ...command, ...fields })).toMatchObject({ ok: true });
    }
    await logEverything(api.services, other.id);
    const files = await exported(other);
    const { scope } = await verified(files);
    const covered = scope.filter(({ name }) => isCovered(name) && !inPart(name));
    const unproved = covered
      .filter((row) => row.proved !== row.lines)
      .map(({ name, lines, proved }) => [name, lines - proved]);
    expect(unproved).toEqual([]);
    const rowOf = (name: string) => scope.find((row) => row.name === name);
    // The entries about the flow had its description.
    expect(rowOf('audit/audit')?.erased).toBeGreaterThan(0);
    expect(rowOf('statements/statement')).toMatchObject({ lines: 1, erased: 1 });
    expect(linesOf(files, 'data/records/members-0001.ndjson').map(({ name }) => name)).not.toContain('ci');
    expect(files.has('data/records/trusts-0001.ndjson')).toBe(false);
  });
});
