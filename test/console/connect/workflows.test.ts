import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { CI_NAMES, type CiName, REPORTER_NAMES } from '#console/connect/model/choices.ts';
import { CI_SYSTEMS } from '#console/connect/model/ci-systems.ts';
import { firstSteps } from '#console/connect/model/first-steps.ts';
import { gatesOf } from '#console/connect/model/gates.ts';
import { CLIENT_VERSION, INSTALL } from '#console/connect/model/place.ts';
import { reporterCommands } from '#console/connect/model/reporters.ts';
import { workflowOf } from '#console/connect/model/workflows.ts';
import { PRESET } from '#shared/organizations/rules/trust-presets.ts';
import { trustErrors, trustWarnings } from '#shared/organizations/rules/trusts.ts';
import packages from '../../../package.json' with { type: 'json' };
import { scriptsOf } from './scripts.ts';

const PLACE = { host: 'https://evidence.example.com', org: 'demo' };
const isYaml = (ci: CiName) => CI_SYSTEMS[ci].file.endsWith('.yml');

describe('the workflow of a CI system', () => {
  it.each(CI_NAMES)('the workflow of %s installs the client, and reports to the service and the organization', (ci) => {
    const text = workflowOf(ci, PLACE);
    for (const part of [INSTALL, PLACE.host, 'KOSLI_ORG', 'kosli begin trail', 'kosli attest artifact']) {
      expect(text).toContain(part);
    }
    expect(text.includes('/api/v2/token/')).toBe('keyless' in CI_SYSTEMS[ci]);
  });

  it.each(CI_NAMES)('every script of %s is one that bash can read', (ci) => {
    const scripts = scriptsOf(ci, PLACE);
    expect(scripts.join('\n')).toContain('kosli begin trail');
    for (const input of scripts) {
      const { status, stderr } = spawnSync('bash', ['-n'], { input, encoding: 'utf8' });
      expect([status, stderr], input).toEqual([0, '']);
    }
  });

  it.each(CI_NAMES.filter(isYaml))('the file of %s is YAML without a key that stands twice', (ci) => {
    expect(() => parse(workflowOf(ci, PLACE), { strict: true, uniqueKeys: true })).not.toThrow();
  });

  it('the client that is installed is the one that the tests run', () => {
    expect(packages.optionalDependencies['@kosli/cli-linux-x64']).toBe(CLIENT_VERSION);
  });
});

describe('the trust of a CI system', () => {
  const keyless = CI_NAMES.flatMap((ci) => {
    const system = CI_SYSTEMS[ci];
    return 'keyless' in system ? [[ci, system.keyless] as const] : [];
  });

  it.each(keyless)('the claims that the form of %s asks for name a pipeline, without a warning', (_, asked) => {
    const { preset, claims } = asked;
    const issuer = PRESET[preset].issuer ?? ('issuer' in asked ? asked.issuer : '');
    const bound = claims.map(({ claim, initial }) => ({ name: claim, values: [initial === '' ? 'acme/7' : initial] }));
    const trust = { name: 'release', preset, issuer, audience: PLACE.host, claims: bound };
    expect([...trustErrors(trust)]).toEqual([]);
    expect(trustWarnings(trust, 'member').filter((warning) => !warning.includes('pipeline_id'))).toEqual([]);
  });
});

describe('the commands of the page', () => {
  it('every command is one that bash can read', () => {
    const commands = [
      ...firstSteps(PLACE),
      ...REPORTER_NAMES.flatMap((name) => reporterCommands(name, PLACE)),
      ...gatesOf(PLACE).filter(({ text }) => !text.startsWith('initContainers')),
    ];
    for (const { text } of commands) {
      const { status, stderr } = spawnSync('bash', ['-n'], { input: text, encoding: 'utf8' });
      expect([status, stderr], text).toEqual([0, '']);
    }
  });

  it('the manifest of the cluster and the container of the gate are YAML', () => {
    const [, cluster] = reporterCommands('k8s', PLACE);
    const [, manifest = ''] = /<<'YAML'\n(.*)\nYAML$/s.exec(cluster?.text ?? '') ?? [];
    const kinds = manifest.split('\n---\n').map((document) => parse(document, { uniqueKeys: true }).kind);
    expect(kinds).toEqual(['ServiceAccount', 'ClusterRole', 'ClusterRoleBinding', 'CronJob']);
    const [, container] = gatesOf(PLACE);
    expect(parse(container?.text ?? '').initContainers[0].args.slice(0, 2)).toEqual(['assert', 'artifact']);
  });
});
