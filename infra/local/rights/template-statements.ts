import {
  resourcesOfType,
  statementsByFunction,
  type TemplateJson,
  type TemplateStatement,
} from '../../role-statements.ts';
import { localAttribute, pseudoParameter } from './arns.ts';
import type { Condition, Statement } from './evaluate.ts';

/** The templates of one region. */
export interface Templates {
  stateful: TemplateJson;
  service: TemplateJson;
}

/** Returns the statements of each function's role, by the name of the function, with local ARNs as resources. */
export function functionStatements(templates: Templates): Map<string, Statement[]> {
  const read = (statement: TemplateStatement) => readStatement(statement, templates.service, templates.stateful);
  return new Map([...statementsByFunction(templates.service)].map(([name, found]) => [name, found.map(read)]));
}

/**
 * Returns the statements of the policies on bucket and queues. They are denials for everybody, so they apply to every
 * function.
 *
 * @throws Error if such a policy allows something or names a principal
 */
export function resourceStatements({ stateful }: Templates): Statement[] {
  const policies = ['AWS::S3::BucketPolicy', 'AWS::SQS::QueuePolicy'].flatMap((type) =>
    resourcesOfType(stateful, type),
  );
  return policies.flatMap(([id, { Properties }]) => {
    // CloudFormation says which properties a policy has.
    const { Statement } = Properties['PolicyDocument'] as { Statement: TemplateStatement[] };
    return Statement.map((statement) => {
      const principal = JSON.stringify(statement.Principal);
      if (statement.Effect !== 'Deny' || (principal !== '{"AWS":"*"}' && principal !== '"*"')) {
        throw new Error(`The policy ${id} is not a denial for everybody, and the local stack reads no others`);
      }
      return readStatement(statement, stateful, stateful);
    });
  });
}

const KNOWN_MEMBERS = new Set(['Sid', 'Effect', 'Action', 'Resource', 'Principal', 'Condition']);

/** @param exporter the template whose outputs the template imports */
function readStatement(statement: TemplateStatement, template: TemplateJson, exporter: TemplateJson): Statement {
  const unknown = Object.keys(statement).filter((member) => !KNOWN_MEMBERS.has(member));
  if (unknown.length > 0) throw new Error(`The local stack does not know ${unknown.join(', ')} of a statement`);
  const { Effect, Action, Resource, Condition = {} } = statement;
  return {
    effect: Effect,
    actions: [Action].flat(),
    resources: [Resource].flat().map((resource) => resolve(resource, template, exporter)),
    conditions: Object.entries(Condition).flatMap(([operator, tests]) =>
      Object.entries(tests).map(([key, values]): Condition => ({ operator, key, values: [values].flat().map(String) })),
    ),
  };
}

/** Returns the text of a value in a template. */
function resolve(value: unknown, template: TemplateJson, exporter: TemplateJson): string {
  if (typeof value === 'string') return value;
  // A value that is no text is a call of an intrinsic function: an object with one member.
  const [[name, argument] = ['', '']] = Object.entries(value as Record<string, unknown>);
  switch (name) {
    case 'Fn::Join': {
      // `Fn::Join` takes a separator and a list.
      const [separator, parts] = argument as [string, unknown[]];
      return parts.map((part) => resolve(part, template, exporter)).join(separator);
    }
    case 'Fn::GetAtt': {
      // `Fn::GetAtt` takes the id of a resource and an attribute.
      const [id = '', attribute = ''] = argument as string[];
      return localAttribute(id, template.Resources[id]?.Type ?? 'resource of another template', attribute);
    }
    case 'Fn::ImportValue': {
      const output = Object.values(exporter.Outputs ?? {}).find(({ Export }) => Export?.Name === argument);
      return resolve(output?.Value, exporter, exporter);
    }
    case 'Ref': {
      const text = pseudoParameter(String(argument));
      if (text !== undefined) return text;
    }
  }
  throw new Error(`The local stack cannot resolve ${JSON.stringify(value)}: add a case`);
}
