/** An error that the server reports by number, as a statement's own (severity 16) unless it says otherwise. */
export class ServerFault extends Error {
  readonly number: number;
  readonly severity: number;

  constructor(number: number, message: string, severity = 16) {
    super(message);
    this.number = number;
    this.severity = severity;
  }
}
