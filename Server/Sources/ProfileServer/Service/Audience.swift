/// The callers whose routes a listener serves. To the others, the listener answers 404.
public enum Audience: Sendable {
    /// People and programs.
    case everyone
    /// People alone, because programs have a listener of their own.
    case people
    /// Programs alone.
    case programs
}
