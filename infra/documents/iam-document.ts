import type { Template } from 'aws-cdk-lib/assertions';
import { statementsByFunction, type TemplateJson, type TemplateStatement } from '../role-statements.ts';

const HEAD = `# Rights of functions

This page is generated from the templates by \`npx node infra/write-iam-document.ts\`. A test fails if the page is out of
date. Both regions have the same rights.

Each function has its own role. The rights of an endpoint group follow from what its endpoints declare (\`uses\` of a
definition, \`shared/table/uses.ts\`); tests refuse endpoints everything else. *Families* are the record families of
\`docs/table.md\`: a condition on the partition key restricts writes to these families. Reads are not restricted to families, with
two exceptions: functions for strangers read only the families that they declare, and the family with secrets is denied to every
function that does not declare it ([rights to read](rules/storage.md#rights-to-read)). In addition to the
listed rights, every function writes to its own log (\`logs:CreateLogStream\`,
\`logs:PutLogEvents\`) and sends traces (\`xray:PutTelemetryRecords\`, \`xray:PutTraceSegments\` on \`*\`). IAM cannot limit the
rights to send traces and \`dynamodb:ListStreams\` to a resource.

Every function that authenticates callers updates the families \`@KEYUSE\`, the last uses of API keys, and \`@LIMIT\`, the
counters of requests. Authentication trusts the families \`@KEY\`, \`@ORG\` and \`MEMBER\`. A test computes which functions can write
items of these three families and fails if another function can (\`test/infra/local/rights/item-rights.test.ts\`).

\`npm start -- --bundles\` enforces these rights on one machine ([local stack](local-stack.md#rights)).
`;

/** Actions that every function may do. The head of the document names them, the tables do not. */
const COMMON = /^(?:xray:|logs:)/;

/**
 * Returns the text of `docs/iam.md`: a table of rights per function.
 *
 * @param service the template of the service stack
 */
export function iamDocument(service: Template): string {
  // The CDK does not type the templates that it writes.
  const sections = [...statementsByFunction(service.toJSON() as TemplateJson)].map(([name, statements]) => {
    const rows = statements.map(rowOf).filter((row) => row !== null);
    const table = rows.length > 0 ? ['| Actions | On | Only |', '|---|---|---|', ...rows] : ['Nothing.'];
    return ['', `## ${name}`, '', ...table].join('\n');
  });
  return `${HEAD}${sections.join('\n')}\n`;
}

function rowOf({ Effect, Action, Resource, Condition = {} }: TemplateStatement): string | null {
  const actions = [Action].flat().filter((action) => !COMMON.test(action));
  if (actions.length === 0) return null;
  const on = [Resource].flat().map((resource) => code(readable(resource)));
  const only = Object.values(Condition).flatMap((test) =>
    Object.entries(test).map(([key, values]) => limit(key, values)),
  );
  const denied = Effect === 'Deny' ? 'denied: ' : '';
  return `| ${denied}${actions.map(code).join(', ')} | ${on.join(', ')} | ${only.join('; ')} |`;
}

/** Returns the text of a condition. Patterns of partition keys are shown as names of record families. */
function limit(key: string, values: string | string[]): string {
  const list = [values].flat();
  if (key !== 'dynamodb:LeadingKeys') return `${key.replace(/^.*:/, '')} ${list.map(code).join(', ')}`;
  const families = list.map((pattern) => pattern.replace(/^[?-]+#/, '').replace(/#\*$/, ''));
  return `families ${[...new Set(families)].map(code).join(', ')}`;
}

const code = (text: string): string => `\`${text}\``;

/** Returns the logical id or the text of a resource in a template. */
function readable(value: unknown): string {
  if (typeof value === 'string') return value;
  // A value that is no text is a call of an intrinsic function: an object with one member.
  const [[name, argument] = ['', '']] = Object.entries(value as Record<string, unknown>);
  switch (name) {
    case 'Fn::Join': {
      // `Fn::Join` takes a separator and a list.
      const [separator, parts] = argument as [string, unknown[]];
      return parts.map(readable).join(separator);
    }
    case 'Fn::GetAtt':
      // `Fn::GetAtt` takes the id of a resource and an attribute.
      return String((argument as string[])[0]);
    case 'Fn::ImportValue':
      return String(argument).replace(/^.*:ExportsOutput(?:FnGetAtt|Ref)(.+?)(?:Arn)?[0-9A-F]{8}$/, '$1');
    case 'Ref':
      return String(argument).replace(/^AWS::(.+)$/, '{$1}');
    default:
      throw new Error(`docs/iam.md has no form for the template function ${name}: add a case to readable()`);
  }
}
