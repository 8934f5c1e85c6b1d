import { type ParseResult, parseSync, Visitor, type VisitorObject } from 'vite';
import { textOf } from './source-files.ts';

/** Reads the syntax of sources with the parser of the build, so that comments and texts are not taken for code. */

interface Place {
  /** Offset in the text. */
  start: number;
}

export interface Source {
  text: string;
  comments: ParseResult['comments'];
  /** Calls the functions of a visitor with the nodes of the source. */
  visit: (visitor: VisitorObject) => void;
  lineOf: (place: Place) => number;
}

/** @throws Error if the text is not correct TypeScript */
export function parseSource(file: string, text = textOf(file)): Source {
  const { program, comments, errors } = parseSync(file, text);
  const [error] = errors;
  if (error) throw new Error(`${file} cannot be parsed: ${error.message}`);
  return {
    text,
    comments,
    visit: (visitor) => new Visitor(visitor).visit(program),
    lineOf: ({ start }) => text.slice(0, start).split('\n').length,
  };
}
