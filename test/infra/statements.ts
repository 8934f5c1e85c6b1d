import type { Template } from 'aws-cdk-lib/assertions';
import { statementsOfRole, type TemplateStatement } from '#infra/role-statements.ts';
import { resourcesOf } from './synthesized.ts';

/** Returns the statements of every role by the role's logical id. */
export const statementsByRole = (service: Template): Map<string, TemplateStatement[]> =>
  new Map(
    Object.entries(resourcesOf<Record<string, unknown>>(service, 'AWS::IAM::Role')).map(([id, properties]) => [
      id,
      statementsOfRole(properties),
    ]),
  );

/** Returns the statements of a function's role. @param id construct id of the function */
export const statementsOf = (service: Template, id: string): TemplateStatement[] =>
  [...statementsByRole(service)]
    .filter(([role]) => role.startsWith(`${id}Role`))
    .flatMap(([, statements]) => statements);
