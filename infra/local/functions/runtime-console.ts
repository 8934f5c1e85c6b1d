import { format } from 'node:util';

/** The methods of a console that write to the log of a function. */
type LogMethods = Pick<Console, 'debug' | 'error' | 'info' | 'log' | 'trace' | 'warn'>;

/**
 * Returns console methods that write as the Node runtime of a region does in its text format: time, id of the call and
 * level stand before the text, separated by tabs. A line break in the text becomes a carriage return, so that one call
 * stays one line.
 *
 * @param requestId returns the id of the call that writes
 * @param write gets each line with its line break
 */
export function runtimeConsole(requestId: () => string | undefined, write: (line: string) => void): LogMethods {
  const method =
    (level: string) =>
    (...parts: unknown[]) => {
      const line = [new Date().toISOString(), requestId(), level, format(...parts)].join('\t');
      write(`${line.replaceAll('\n', '\r')}\n`);
    };
  return {
    debug: method('DEBUG'),
    error: method('ERROR'),
    info: method('INFO'),
    log: method('INFO'),
    trace: method('TRACE'),
    warn: method('WARN'),
  };
}
