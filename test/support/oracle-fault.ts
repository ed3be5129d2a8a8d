/** An error as Oracle's driver throws it. */
export class OracleFault extends Error {
  readonly errorNum: number;
  readonly code: string;

  constructor(errorNum: number, text: string) {
    const code = `ORA-${String(errorNum).padStart(5, '0')}`;
    super(`${code}: ${text}\nHelp: https://docs.oracle.com/error-help/db/ora-${code.slice(4)}/`);
    this.errorNum = errorNum;
    this.code = code;
  }
}

/** The driver's own error for a connection that is gone. */
export class DriverFault extends Error {
  readonly code: string;

  constructor(code: string, text: string) {
    super(`${code}: ${text}`);
    this.code = code;
  }
}
