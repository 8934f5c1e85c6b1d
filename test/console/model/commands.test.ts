import { describe, expect, it } from 'vitest';
import { commandsFor } from '#console/model/commands.ts';

describe('a command for what is missing', () => {
  const place = { host: 'https://e.example', org: 'demo', flow: 'web', trail: 'r 1' };
  const texts = (scope: string | null, name: string | null, type: string, fingerprint: string | null = null) =>
    commandsFor({ scope, name, type, fingerprint }, place).map(({ text }) => text.replaceAll(' \\\n ', ''));

  it('reports to the trail', () => {
    expect(texts(null, 'review', 'generic')).toEqual([
      `kosli attest generic --name review --flow web --trail 'r 1' --org demo --host https://e.example --api-token "$KEY"`,
      `curl -X POST https://e.example/api/v2/attestations/demo/web/trail/r%201/generic -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' -d '{"attestation_name":"review","is_compliant":true}'`,
    ]);
  });

  it('names the fingerprint of an artifact, or the artifact and a commit before it is reported', () => {
    expect(texts('app', 'sbom', '*', 'abc')[0]).toContain('--name sbom --fingerprint abc');
    expect(texts('app', 'sbom', '*')[0]).toContain('--name app.sbom --commit COMMIT');
  });

  it('names what each type needs', () => {
    expect(texts(null, 'unit', 'junit')).toHaveLength(1);
    expect(texts(null, 'unit', 'junit')[0]).toContain('--results-dir FOLDER');
    expect(texts(null, 'c', 'custom:cov')[0]).toContain('attest custom --name c --type cov --attestation-data FILE');
    expect(texts('app', null, 'artifact')[0]).toContain('attest artifact FILE_OR_IMAGE --name app');
  });
});
