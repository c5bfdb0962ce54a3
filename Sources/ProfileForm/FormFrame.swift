/// Where a field is on a screen, in any unit: what the order of focus goes by where a host lays fields out itself (F10).
public struct FormFrame: Hashable, Sendable {
    /// From the left edge.
    public var x: Double
    /// From the top.
    public var y: Double
    /// From its own left edge to its right one.
    public var width: Double
    /// From its own top down; the order of focus does not depend on it.
    public var height: Double

    /// Makes a frame in the coordinates of a screen, or of the container that it is in.
    public init(x: Double, y: Double, width: Double, height: Double) {
        self.x = x
        self.y = y
        self.width = width
        self.height = height
    }

    /// The frame in the coordinates of what its container is in, for fields in different containers.
    public func converted(from container: FormFrame) -> FormFrame {
        FormFrame(x: x + container.x, y: y + container.y, width: width, height: height)
    }
}

/// The direction in which people read, and so which edge of a screen is the leading one.
public enum LayoutDirection: Hashable, Sendable {
    /// The leading edge is the left one, as for English.
    case leftToRight
    /// The leading edge is the right one, as for Arabic.
    case rightToLeft
}

extension FormFrame {
    /// Whether it comes before another: further up or, at the same height, nearer to the leading edge.
    func precedes(_ other: FormFrame, _ direction: LayoutDirection) -> Bool {
        if y != other.y { return y < other.y }
        return direction == .leftToRight ? x < other.x : x + width > other.x + other.width
    }
}
