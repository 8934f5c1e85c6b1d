import { type Command, quoted } from '../model/commands.ts';

/** Commands that get a statement of an artifact and check it with programs of others (docs/statements.md). */
export function statementCommands(host: string, org: string): Command[] {
  const api = quoted(`${host}/api/v2`);
  return [
    {
      what: 'Get the keys, once',
      text: [
        `curl -sS -H "Authorization: Bearer $KEY" ${api}/log/${org} > log.json`,
        "jq -r '.statement_keys[0].public_key' log.json > statement.pem",
        "jq '.trusted_root' log.json > trusted_root.json",
      ].join('\n'),
    },
    {
      what: 'Get the statement of an artifact',
      text: [
        'FLOW=web FINGERPRINT=PUT-THE-DIGEST-HERE',
        `curl -sS -H "Authorization: Bearer $KEY" "${host}/api/v2/artifacts/${org}/$FLOW/fingerprint/$FINGERPRINT/statement?format=sigstore" > app.json`,
      ].join('\n'),
    },
    {
      what: 'Check that it is signed and in the log',
      text: [
        'cosign verify-blob-attestation --key statement.pem --bundle app.json --trusted-root trusted_root.json \\',
        '  --type https://slsa.dev/verification_summary/v1 --digest "$FINGERPRINT" --digestAlg sha256',
      ].join('\n'),
    },
  ];
}
